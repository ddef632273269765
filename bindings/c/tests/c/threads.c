/* Several threads ask one handle, and clones of it that they give back at different times; all must get the same answers. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "morabase.h"

enum { THREADS = 4, ROUNDS = 300 };

struct job {
    pthread_t thread;
    const Morabase *tables;
    unsigned long sum;
    int failed;
};

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t some_cows(uint32_t *state, uint32_t taken, int count) {
    uint32_t cows = 0;
    while (count > 0) {
        uint32_t bit = (uint32_t)1 << next(state) % 24;
        if (!((taken | cows) & bit)) {
            cows |= bit;
            count--;
        }
    }
    return cows;
}

static void *work(void *argument) {
    struct job *job = argument;
    Morabase *own = NULL;
    MorabaseError error;
    uint32_t state = 1;
    if (morabase_clone(job->tables, &own, &error) != MORABASE_OK) {
        job->failed = 1;
        return NULL;
    }
    for (int round = 0; round < ROUNDS; round++) {
        MorabasePosition position = {.counter = (uint16_t)(next(&state) % 20), .to_move = (uint8_t)(round % 2)};
        position.cows[0] = some_cows(&state, 0, 3 + round % 2);
        position.cows[1] = some_cows(&state, position.cows[0], 4);
        MorabaseProbe probe;
        const Morabase *tables = round % 3 ? job->tables : own;
        MorabaseStatus status = morabase_probe(tables, &position, &probe, &error);
        if (status == MORABASE_OK) {
            job->sum = job->sum * 31 + probe.value.dtc * 5u + probe.verdict;
        } else {
            job->failed = 1;
        }
        /* Errors of one thread are no other's. */
        position.cows[0] = 0xffffffu;
        if (morabase_probe(tables, &position, &probe, &error) != MORABASE_ERROR_POSITION || !error.text[0]) {
            job->failed = 1;
        }
        if (round % 100 == 7) {
            morabase_free(own);
            own = NULL;
            if (morabase_clone(job->tables, &own, NULL) != MORABASE_OK) {
                job->failed = 1;
                return NULL;
            }
        }
    }
    morabase_free(own);
    return NULL;
}

int main(void) {
    Morabase *tables = NULL;
    if (morabase_open_shipped(&tables, NULL) != MORABASE_OK) {
        return 1;
    }
    struct job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.tables = tables};
        if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]) != 0) {
            return 1;
        }
    }
    int same = 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(jobs[i].thread, NULL);
        same = same && !jobs[i].failed && jobs[i].sum == jobs[0].sum && jobs[i].sum != 0;
    }
    morabase_free(tables);
    printf("%s\n", same ? "all agree" : "they differ");
    return !same;
}
