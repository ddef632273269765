/* Says who wins and how: `probe POSITION [DIRECTORY...]`, such as `probe 'W:Wd6,d7,f4,f6:Bb4,d3,g1,g4' ~/tables/gar`. */
#include <inttypes.h>
#include <stdio.h>

#include <morabase.h>

static int fail(const MorabaseError *error) {
    fprintf(stderr, "probe: %s\n", error->text);
    if (error->status == MORABASE_ERROR_MISSING_TABLE) {
        fprintf(stderr, "probe: build it with: morabase build --class %u-%u\n", error->table_class.mover,
                error->table_class.waiting);
    }
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: probe POSITION [DIRECTORY...]\n");
        return 2;
    }
    MorabaseError error;
    Morabase *tables;
    /* The directories first, the tables inside the library for what they lack. */
    MorabaseOptions options = {.shipped = 1};
    const char *const *directories = (const char *const *)(argv + 2);
    if (morabase_open(directories, (size_t)argc - 2, &options, &tables, &error) != MORABASE_OK) {
        return fail(&error);
    }

    MorabasePosition position;
    MorabaseRankedTurn turns[MORABASE_MAX_TURNS];
    size_t count;
    if (morabase_position_parse(tables, argv[1], &position, &error) != MORABASE_OK ||
        morabase_turns(tables, &position, turns, MORABASE_MAX_TURNS, &count, &error) != MORABASE_OK) {
        morabase_free(tables);
        return fail(&error);
    }
    static const char *const verdicts[] = {"lost", "blessed loss", "drawn", "cursed win", "won"};
    for (size_t i = 0; i < count; i++) {
        char turn[16];
        morabase_turn_print(&turns[i].turn, MORABASE_FORM_GRID, turn, sizeof turn, NULL, NULL);
        printf("%-10s %s", turn, verdicts[turns[i].verdict]);
        if (turns[i].value.wdl != MORABASE_WDL_DRAWN) {
            printf(" in %u", turns[i].value.dtc);
        }
        printf("\n");
    }
    if (count == 0) {
        printf("the game is over\n");
    }
    morabase_free(tables);
    return 0;
}
