/* Reads positions from standard input, one a line, and prints everything the library says about each. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "morabase.h"

_Static_assert(sizeof(MorabasePosition) == 20, "size of MorabasePosition");
_Static_assert(sizeof(MorabaseTurn) == 3, "size of MorabaseTurn");
_Static_assert(sizeof(MorabaseValue) == 4, "size of MorabaseValue");
_Static_assert(sizeof(MorabaseProbe) == 20, "size of MorabaseProbe");
_Static_assert(sizeof(MorabaseRankedTurn) == 48, "size of MorabaseRankedTurn");
_Static_assert(sizeof(MorabaseError) == 1024, "size of MorabaseError");
_Static_assert(sizeof(MorabaseStatus) == 4 && sizeof(MorabaseWdl) == 1, "size of enums");

static MorabaseError error;

static void must(MorabaseStatus status) {
    if (status != error.status || status != MORABASE_OK || error.text[0] != '\0') {
        fprintf(stderr, "status %" PRId32 ", error %" PRId32 ": %s\n", status, error.status, error.text);
        exit(1);
    }
}

static void print_value(MorabaseValue value) {
    printf(" %d/%u", value.wdl, (unsigned)value.dtc);
}

static void print_probe(const MorabaseProbe *probe) {
    print_value(probe->value);
    print_value(probe->at_zero);
    print_value(probe->unrestricted);
    MorabaseClass found = probe->table_class;
    printf(" v%u o%u r%u %u-%u", (unsigned)probe->verdict, (unsigned)probe->outcome, (unsigned)probe->reason,
           (unsigned)found.mover, (unsigned)found.waiting);
    if (found.mover_hand + found.waiting_hand > 0) {
        printf("+%u-%u", (unsigned)found.mover_hand, (unsigned)found.waiting_hand);
    }
}

static void print_position(const Morabase *tables, const MorabasePosition *position, uint8_t form) {
    char text[128];
    size_t length;
    must(morabase_position_print(tables, position, form, text, sizeof text, &length, &error));
    if (length != strlen(text) || length >= sizeof text) {
        exit(1);
    }
    printf(" %s", text);
}

static void print_turn(const MorabaseTurn *turn) {
    char text[16];
    must(morabase_turn_print(turn, MORABASE_FORM_GRID, text, sizeof text, NULL, &error));
    MorabaseTurn again;
    must(morabase_turn_parse(text, &again, &error));
    if (memcmp(turn, &again, sizeof again) != 0) {
        exit(1);
    }
    printf(" %s", text);
}

static void print_ranked(const Morabase *tables, const char *head, const MorabasePosition *before,
                         const MorabaseRankedTurn *ranked) {
    printf("%s", head);
    print_turn(&ranked->turn);
    printf(" v%u", (unsigned)ranked->verdict);
    print_value(ranked->value);
    print_probe(&ranked->reply);
    print_position(tables, &ranked->after, MORABASE_FORM_GRID);
    printf("\n");
    /* In place, as a program that plays would do it. */
    MorabasePosition position = *before;
    must(morabase_apply(tables, &position, &ranked->turn, &position, &error));
    if (memcmp(&position, &ranked->after, sizeof position) != 0) {
        exit(1);
    }
}

int main(void) {
    Morabase *tables = NULL;
    must(morabase_open_shipped(&tables, &error));
    printf("%s, %u cows, %s\n", morabase_version(), (unsigned)morabase_complete_up_to(tables),
           morabase_rules_text(tables));
    MorabasePosition position;
    must(morabase_start(tables, &position, &error));
    printf("start");
    print_position(tables, &position, MORABASE_FORM_GRID);
    printf("\n");

    char line[256];
    static MorabaseRankedTurn turns[MORABASE_MAX_TURNS];
    static MorabaseTurn legal[MORABASE_MAX_TURNS];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        must(morabase_position_parse(tables, line, &position, &error));
        printf("position");
        print_position(tables, &position, MORABASE_FORM_GRID);
        print_position(tables, &position, MORABASE_FORM_RINGS);
        print_position(tables, &position, MORABASE_FORM_FEN);
        printf("\nprobe");
        MorabaseProbe probe;
        must(morabase_probe(tables, &position, &probe, &error));
        print_probe(&probe);
        /* These tables are in memory, so nothing is ever far. */
        MorabaseProbe cached;
        bool found = false;
        must(morabase_probe_cached(tables, &position, &found, &cached, &error));
        if (!found || memcmp(&cached, &probe, sizeof probe) != 0) {
            return 1;
        }
        MorabaseWdl wdl;
        must(morabase_probe_wdl(tables, &position, &wdl, &error));
        printf(" %d\n", wdl);

        size_t count, again, few;
        must(morabase_turns(tables, &position, turns, MORABASE_MAX_TURNS, &count, &error));
        must(morabase_turns(tables, &position, NULL, 0, &again, &error));
        must(morabase_legal_turns(tables, &position, legal, MORABASE_MAX_TURNS, &few, &error));
        if (again != count || few != count || count > MORABASE_MAX_TURNS) {
            return 1;
        }
        for (size_t i = 0; i < count; i++) {
            print_ranked(tables, "turn", &position, &turns[i]);
        }
        printf("legal");
        for (size_t i = 0; i < few; i++) {
            print_turn(&legal[i]);
        }
        printf("\n");
        if (count > 0) {
            MorabaseRankedTurn best;
            must(morabase_best_turn(tables, &position, &best, &error));
            if (memcmp(&best, &turns[0], sizeof best) != 0) {
                return 1;
            }
        }
        must(morabase_line(tables, &position, turns, MORABASE_MAX_TURNS, &count, &error));
        for (size_t i = 0; i < count; i++) {
            print_ranked(tables, "line", &position, &turns[i]);
            position = turns[i].after;
        }
    }
    morabase_free(tables);
    return 0;
}
