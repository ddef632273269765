/* Every way to be wrong: each gives its code and a text that says so. Arguments: directories with tables of other rules, with
 * a damaged table, with a table that does not open, and with a table that contradicts itself; then a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "morabase.h"

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

static MorabaseError error;
static int failures;
static uint32_t seen;

static void expect(int line, MorabaseStatus status, MorabaseStatus expected, const char *text) {
    seen |= (uint32_t)1 << expected;
    int silent = expected == MORABASE_OK;
    if (status != expected || error.status != expected || (silent ? error.text[0] != '\0' : !strstr(error.text, text))) {
        fprintf(stderr, "line %d: status %" PRId32 ", error %" PRId32 ", expected %" PRId32 " and \"%s\": %s\n", line,
                status, error.status, expected, text, error.text);
        failures++;
    }
    if ((expected == MORABASE_ERROR_HANDS || expected == MORABASE_ERROR_MISSING_TABLE ||
         expected == MORABASE_ERROR_CONTRADICTION) != (error.table_class.mover + error.table_class.mover_hand != 0)) {
        fprintf(stderr, "line %d: class %d-%d\n", line, error.table_class.mover, error.table_class.waiting);
        failures++;
    }
    memset(&error, 0x55, sizeof error);
}

#define EXPECT(call, code, text) expect(__LINE__, call, code, text)
#define CHECK(condition) ((condition) ? (void)0 : (failures++, (void)fprintf(stderr, "line %d\n", __LINE__)))

static MorabaseClass class_of(uint8_t mover, uint8_t waiting) {
    MorabaseClass wanted = {mover, waiting, 0, 0};
    return wanted;
}

static MorabaseStatus open_one(const char *path, const MorabaseOptions *options, Morabase **out) {
    return morabase_open(&path, 1, options, out, &error);
}

static void wrong_pointers(const Morabase *tables) {
    MorabasePosition position;
    MorabaseProbe probe;
    MorabaseRankedTurn ranked;
    MorabaseTurn turn = {0, 1, MORABASE_NO_POINT};
    MorabaseWdl wdl;
    Morabase *out = NULL;
    const char *nothing = NULL;
    size_t count;
    char text[8];
    EXPECT(morabase_start(tables, &position, &error), MORABASE_OK, "");
    EXPECT(morabase_open(NULL, 1, NULL, &out, &error), MORABASE_ERROR_NULL, "paths is NULL");
    EXPECT(morabase_open(&nothing, 1, NULL, &out, &error), MORABASE_ERROR_NULL, "a path in paths is NULL");
    EXPECT(morabase_open(NULL, 0, NULL, NULL, &error), MORABASE_ERROR_NULL, "out is NULL");
    EXPECT(morabase_open_shipped(NULL, &error), MORABASE_ERROR_NULL, "out is NULL");
    EXPECT(morabase_open_bytes(NULL, 2, &out, &error), MORABASE_ERROR_NULL, "files is NULL");
    EXPECT(morabase_clone(NULL, &out, &error), MORABASE_ERROR_NULL, "tables is NULL");
    CHECK(out == NULL);
    EXPECT(morabase_clone(tables, NULL, &error), MORABASE_ERROR_NULL, "out is NULL");
    EXPECT(morabase_check_class(NULL, class_of(3, 3), &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_probe(NULL, &position, &probe, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_probe(tables, NULL, &probe, &error), MORABASE_ERROR_NULL, "position is NULL");
    EXPECT(morabase_probe(tables, &position, NULL, &error), MORABASE_ERROR_NULL, "probe is NULL");
    bool found = true;
    EXPECT(morabase_probe_cached(NULL, &position, &found, &probe, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_probe_cached(tables, &position, NULL, &probe, &error), MORABASE_ERROR_NULL, "found is NULL");
    EXPECT(morabase_probe_cached(tables, &position, &found, NULL, &error), MORABASE_ERROR_NULL, "probe is NULL");
    EXPECT(morabase_preload(NULL, class_of(3, 3), &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_probe_wdl(NULL, &position, &wdl, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_probe_wdl(tables, &position, NULL, &error), MORABASE_ERROR_NULL, "wdl is NULL");
    EXPECT(morabase_turns(NULL, &position, &ranked, 1, &count, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_turns(tables, &position, NULL, 1, &count, &error), MORABASE_ERROR_NULL, "turns is NULL");
    EXPECT(morabase_turns(tables, &position, &ranked, 1, NULL, &error), MORABASE_ERROR_NULL, "count is NULL");
    EXPECT(morabase_best_turn(NULL, &position, &ranked, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_best_turn(tables, &position, NULL, &error), MORABASE_ERROR_NULL, "turn is NULL");
    EXPECT(morabase_line(NULL, &position, &ranked, 1, &count, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_line(tables, &position, NULL, 1, &count, &error), MORABASE_ERROR_NULL, "turns is NULL");
    EXPECT(morabase_line(tables, &position, &ranked, 1, NULL, &error), MORABASE_ERROR_NULL, "count is NULL");
    EXPECT(morabase_legal_turns(tables, &position, NULL, 1, &count, &error), MORABASE_ERROR_NULL, "turns is NULL");
    EXPECT(morabase_start(NULL, &position, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_start(tables, NULL, &error), MORABASE_ERROR_NULL, "position is NULL");
    EXPECT(morabase_apply(NULL, &position, &turn, &position, &error), MORABASE_ERROR_NULL, "tables is NULL");
    EXPECT(morabase_apply(tables, &position, NULL, &position, &error), MORABASE_ERROR_NULL, "turn is NULL");
    EXPECT(morabase_apply(tables, &position, &turn, NULL, &error), MORABASE_ERROR_NULL, "after is NULL");
    EXPECT(morabase_position_parse(tables, NULL, &position, &error), MORABASE_ERROR_NULL, "text is NULL");
    EXPECT(morabase_position_parse(tables, "", NULL, &error), MORABASE_ERROR_NULL, "position is NULL");
    EXPECT(morabase_position_print(tables, &position, 0, NULL, 8, &count, &error), MORABASE_ERROR_NULL, "buffer is NULL");
    EXPECT(morabase_turn_parse(NULL, &turn, &error), MORABASE_ERROR_NULL, "text is NULL");
    EXPECT(morabase_turn_parse("d2", NULL, &error), MORABASE_ERROR_NULL, "turn is NULL");
    EXPECT(morabase_turn_print(NULL, 0, text, 8, &count, &error), MORABASE_ERROR_NULL, "turn is NULL");
    EXPECT(morabase_turn_print(&turn, 0, NULL, 8, &count, &error), MORABASE_ERROR_NULL, "buffer is NULL");
    CHECK(morabase_rules_text(NULL) == NULL);
    CHECK(!morabase_has_class(NULL, class_of(3, 3)));
    CHECK(morabase_complete_up_to(NULL) == 0);
    morabase_free(NULL);
    /* Without a struct for the error the code still comes. */
    CHECK(morabase_probe(NULL, NULL, NULL, NULL) == MORABASE_ERROR_NULL);
    CHECK(morabase_probe(tables, &position, &probe, NULL) == MORABASE_ERROR_MISSING_TABLE);
}

static void wrong_positions(const Morabase *tables) {
    const MorabasePosition good = {.cows = {0x000007, 0x010300}};
    MorabaseProbe probe;
    MorabaseRankedTurn ranked;
    MorabasePosition position = good;
    size_t count = 77;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_OK, "");
    position.cows[0] |= 0x100;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "both players have a cow on b6");
    EXPECT(morabase_turns(tables, &position, &ranked, 1, &count, &error), MORABASE_ERROR_POSITION, "b6");
    EXPECT(morabase_line(tables, &position, &ranked, 1, &count, &error), MORABASE_ERROR_POSITION, "b6");
    EXPECT(morabase_best_turn(tables, &position, &ranked, &error), MORABASE_ERROR_POSITION, "b6");
    EXPECT(morabase_legal_turns(tables, &position, NULL, 0, &count, &error), MORABASE_ERROR_POSITION, "b6");
    EXPECT(morabase_position_print(tables, &position, 0, NULL, 0, NULL, &error), MORABASE_ERROR_POSITION, "b6");
    CHECK(count == 77);
    position = good;
    position.cows[1] = 0x1010300;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "cows: expected no bit above bit 23");
    position.cows[1] = 0xffffff;
    position.cows[0] = 0;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "24 cows on the board");
    position = good;
    position.hands[1] = 255;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "255 in hand");
    position = good;
    position.to_move = 2;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "to_move: expected 0 or 1, found 2");
    position = good;
    position.shot_pending = 9;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "shot_pending");
    position = good;
    position.shot_pending = 1;
    position.to_move = 1;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "none of its cows stands in a line");
    position = good;
    position.remakes[1].from = 24;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "points from 0 to 23, found 24");
    position = good;
    position.remakes[0] = (MorabaseRemake){0, 16};
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "there is no edge");
    position = good;
    position.reserved[1] = 1;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "reserved: expected 0");
    memset(&position, 0xff, sizeof position);
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_POSITION, "expected");
    position = good;
    position.hands[0] = 2;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_HANDS, "class 3-3+2-0: no game with 12 cows each");
    EXPECT(morabase_turns(tables, &position, &ranked, 1, &count, &error), MORABASE_ERROR_HANDS, "class 3-3+2-0");
    CHECK(morabase_probe(tables, &position, &probe, &error) == MORABASE_ERROR_HANDS && error.table_class.mover_hand == 2);
    position.hands[0] = 2;
    position.hands[1] = 2;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_MISSING_TABLE, "3-3+2-2.mora");
    CHECK(morabase_probe(tables, &position, &probe, &error) == MORABASE_ERROR_MISSING_TABLE &&
          error.table_class.mover_hand == 2 && error.table_class.waiting_hand == 2);
    position = good;
    position.cows[0] = 0x3f8000;
    position.cows[1] = 0x00000f;
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_MISSING_TABLE, "7-4");
    CHECK(morabase_probe(tables, &position, &probe, &error) == MORABASE_ERROR_MISSING_TABLE && error.table_class.mover == 7 &&
          error.table_class.waiting == 4);
    position = good;
    position.cows[1] = 0x010100;
    EXPECT(morabase_best_turn(tables, &position, &ranked, &error), MORABASE_ERROR_GAME_OVER, "the game is over");
}

static void wrong_turns_and_texts(const Morabase *tables) {
    MorabasePosition position = {.cows = {0x000083, 0x010300}};
    const MorabasePosition before = position;
    MorabasePosition after;
    MorabaseTurn turn = {0, 8, MORABASE_NO_POINT};
    char text[8];
    EXPECT(morabase_apply(tables, &position, &turn, &position, &error), MORABASE_ERROR_TURN, "b6 is taken");
    CHECK(memcmp(&position, &before, sizeof position) == 0);
    turn = (MorabaseTurn){2, 3, MORABASE_NO_POINT};
    EXPECT(morabase_apply(tables, &position, &turn, &after, &error), MORABASE_ERROR_TURN, "no cow on g7");
    turn = (MorabaseTurn){7, 2, MORABASE_NO_POINT};
    EXPECT(morabase_apply(tables, &position, &turn, &after, &error), MORABASE_ERROR_TURN, "it must name the cow it shoots");
    turn = (MorabaseTurn){7, 2, 24};
    EXPECT(morabase_apply(tables, &position, &turn, &after, &error), MORABASE_ERROR_ARGUMENT, "shot: expected a point");
    turn = (MorabaseTurn){7, MORABASE_NO_POINT, MORABASE_NO_POINT};
    EXPECT(morabase_apply(tables, &position, &turn, &after, &error), MORABASE_ERROR_ARGUMENT, "turn: expected from and to");
    EXPECT(morabase_turn_print(&turn, 0, text, sizeof text, NULL, &error), MORABASE_ERROR_ARGUMENT, "turn: expected");
    turn = (MorabaseTurn){7, 2, 16};
    EXPECT(morabase_apply(tables, &position, &turn, &after, &error), MORABASE_OK, "");
    EXPECT(morabase_apply(tables, &after, &turn, &after, &error), MORABASE_ERROR_GAME_OVER, "the game is over");
    EXPECT(morabase_turn_print(&turn, MORABASE_FORM_FEN, text, sizeof text, NULL, &error), MORABASE_ERROR_ARGUMENT, "form");
    EXPECT(morabase_position_print(tables, &position, 3, text, sizeof text, NULL, &error), MORABASE_ERROR_ARGUMENT, "form");
    EXPECT(morabase_turn_parse("d2-d4", &turn, &error), MORABASE_ERROR_TEXT, "\"d4\"");
    EXPECT(morabase_turn_parse("d2-\xff", &turn, &error), MORABASE_ERROR_TEXT, "text is not UTF-8");
    EXPECT(morabase_position_parse(tables, "nonsense", &position, &error), MORABASE_ERROR_TEXT, "\"nonsense\"");
    EXPECT(morabase_position_parse(tables, "W:Wa7:Ba7", &position, &error), MORABASE_ERROR_POSITION, "a7");

    /* Texts are cut as snprintf() cuts them. */
    size_t length = 0;
    EXPECT(morabase_position_print(tables, &before, 0, text, sizeof text, &length, &error), MORABASE_OK, "");
    CHECK(strcmp(text, "W:Wa7,d") == 0 && length == strlen("W:Wa7,d7,a4:Bb6,d6,c5"));
    EXPECT(morabase_position_print(tables, &before, 0, text, 1, NULL, &error), MORABASE_OK, "");
    CHECK(text[0] == '\0');
    EXPECT(morabase_position_print(tables, &before, 0, NULL, 0, &length, &error), MORABASE_OK, "");
}

static void wrong_tables(char **directories) {
    Morabase *tables = (Morabase *)&error;
    MorabaseOptions options = {0};
    MorabaseProbe probe;
    EXPECT(open_one("/there/is/nothing", NULL, &tables), MORABASE_ERROR_NOT_A_DIRECTORY, "found nothing");
    CHECK(tables == NULL);
    EXPECT(open_one(directories[4], NULL, &tables), MORABASE_ERROR_NOT_A_DIRECTORY, "found a file");
    static char endless[10000];
    memset(endless, '/', 1);
    memset(endless + 1, 'x', sizeof endless - 2);
    EXPECT(open_one(endless, NULL, &tables), MORABASE_ERROR_IO, " ... ");

    options.rules = "gar";
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_RULES, "no-remake=same-cow");
    options.rules = "house rules";
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_TEXT, "\"house rules\"");
    options.rules = "morabaraba;cows=99";
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_TEXT, "cows=99");
    options.rules = "\xff";
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_TEXT, "options.rules is not UTF-8");
    options.rules = NULL;
    options.shipped = 3;
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_ARGUMENT, "options.shipped: expected 0 or 1, found 3");
    options.shipped = 0;
    options.no_mmap = 3;
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_ARGUMENT, "options.no_mmap");
    options.no_mmap = 1;
    options.reserved[5] = 3;
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_ERROR_ARGUMENT, "options.reserved");
    options.reserved[5] = 0;
    CHECK(tables == NULL);

    const char *both[] = {directories[0], directories[1]};
    EXPECT(morabase_open(both, LENGTH(both), NULL, &tables, &error), MORABASE_ERROR_RULES, "different directories");
    options.rules = "plain";
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_OK, "");
    CHECK(morabase_has_class(tables, class_of(3, 3)) && !morabase_has_class(tables, class_of(4, 3)) && !morabase_has_class(tables, class_of(200, 0)));
    CHECK(morabase_complete_up_to(tables) == 6);
    EXPECT(morabase_check_class(tables, class_of(3, 3), &error), MORABASE_OK, "");
    EXPECT(morabase_check_class(tables, class_of(4, 3), &error), MORABASE_ERROR_MISSING_TABLE, "4-3.mora");
    EXPECT(morabase_check_class(tables, class_of(2, 3), &error), MORABASE_ERROR_ARGUMENT, "2-3");
    EXPECT(morabase_preload(tables, class_of(2, 3), &error), MORABASE_ERROR_ARGUMENT, "2-3");
    EXPECT(morabase_preload(tables, class_of(3, 3), &error), MORABASE_OK, "");
    EXPECT(morabase_check_class(tables, class_of(255, 255), &error), MORABASE_ERROR_ARGUMENT, "255-255");
    morabase_free(tables);

    /* f6, f2, e5 and d3 against a7, g4 and a1: far behind the table's begin. */
    MorabasePosition position = {.cows = {0x241400, 0x000049}};
    MorabaseRankedTurn ranked[4];
    size_t count;
    EXPECT(open_one(directories[1], NULL, &tables), MORABASE_OK, "");
    EXPECT(morabase_check_class(tables, class_of(4, 3), &error), MORABASE_ERROR_CORRUPT, "4-3.mora: the file is damaged");
    EXPECT(morabase_preload(tables, class_of(4, 3), &error), MORABASE_ERROR_CORRUPT, "4-3.mora: the file is damaged");
    EXPECT(morabase_check_class(tables, class_of(3, 4), &error), MORABASE_OK, "");
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_CORRUPT, "the file is damaged");
    morabase_free(tables);
    EXPECT(open_one(directories[2], NULL, &tables), MORABASE_OK, "");
    CHECK(!morabase_has_class(tables, class_of(4, 3)));
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_CORRUPT, "not a table");
    morabase_free(tables);
    EXPECT(open_one(directories[3], NULL, &tables), MORABASE_OK, "");
    position = (MorabasePosition){.cows = {0x000083, 0x010300}};
    EXPECT(morabase_line(tables, &position, ranked, LENGTH(ranked), &count, &error), MORABASE_ERROR_CONTRADICTION, "3-3");
    morabase_free(tables);

    static const uint8_t bytes[] = "no table at all";
    MorabaseBytes file = {"4-3.mora", bytes, sizeof bytes};
    position.cows[0] = 0x000087;
    EXPECT(morabase_open_bytes(&file, 1, &tables, &error), MORABASE_OK, "");
    EXPECT(morabase_probe(tables, &position, &probe, &error), MORABASE_ERROR_CORRUPT, "4-3.mora: not a table");
    morabase_free(tables);
    file.length = SIZE_MAX;
    EXPECT(morabase_open_bytes(&file, 1, &tables, &error), MORABASE_ERROR_ARGUMENT, "count");
    file = (MorabaseBytes){"four.mora", bytes, sizeof bytes};
    EXPECT(morabase_open_bytes(&file, 1, &tables, &error), MORABASE_ERROR_CORRUPT, "such as 4-3.mora");
    file.name = NULL;
    EXPECT(morabase_open_bytes(&file, 1, &tables, &error), MORABASE_ERROR_NULL, "a name in files is NULL");
}

/* The ways to open tables that are not wrong. */
static void right_tables(char **directories) {
    Morabase *tables = NULL;
    Morabase *second = NULL;
    MorabaseOptions options = {.shipped = 1};
    EXPECT(open_one(directories[1], &options, &tables), MORABASE_OK, "");
    CHECK(morabase_has_class(tables, class_of(3, 4)) && morabase_has_class(tables, class_of(4, 4)) && morabase_complete_up_to(tables) == 8);
    options.rules = morabase_rules_text(tables);
    options.no_mmap = 1;
    EXPECT(open_one(directories[1], &options, &second), MORABASE_OK, "");
    CHECK(strcmp(morabase_rules_text(second), morabase_rules_text(tables)) == 0);
    morabase_free(second);
    morabase_free(tables);

    /* Tables inside the library are of other rules than these. */
    options = (MorabaseOptions){.shipped = 1};
    EXPECT(open_one(directories[0], &options, &tables), MORABASE_OK, "");
    CHECK(morabase_complete_up_to(tables) == 6 && strstr(morabase_rules_text(tables), "no-remake=none"));
    /* A clone outlives what it was made from. */
    EXPECT(morabase_clone(tables, &second, &error), MORABASE_OK, "");
    MorabasePosition position = {.cows = {0x000083, 0x010300}};
    MorabaseProbe probes[2];
    EXPECT(morabase_probe(tables, &position, &probes[0], &error), MORABASE_OK, "");
    morabase_free(tables);
    EXPECT(morabase_probe(second, &position, &probes[1], &error), MORABASE_OK, "");
    CHECK(memcmp(&probes[0], &probes[1], sizeof probes[0]) == 0 && probes[0].value.dtc == 1);
    morabase_free(second);

    /* The same table from memory that is given back at once. */
    static const size_t room = 1 << 20;
    uint8_t *bytes = malloc(room);
    FILE *file = fopen(directories[4], "rb");
    if (bytes == NULL || file == NULL) {
        exit(1);
    }
    MorabaseBytes table = {"3-3.mora", bytes, fread(bytes, 1, room, file)};
    fclose(file);
    EXPECT(morabase_open_bytes(&table, 1, &tables, &error), MORABASE_OK, "");
    free(bytes);
    EXPECT(morabase_probe(tables, &position, &probes[1], &error), MORABASE_OK, "");
    CHECK(memcmp(&probes[0], &probes[1], sizeof probes[0]) == 0);
    morabase_free(tables);

    /* Nothing at all: what the rules alone know. */
    EXPECT(morabase_open(NULL, 0, NULL, &tables, &error), MORABASE_OK, "");
    CHECK(morabase_complete_up_to(tables) == 0);
    position.cows[1] = 0x000300;
    EXPECT(morabase_probe(tables, &position, &probes[1], &error), MORABASE_OK, "");
    CHECK(probes[1].outcome == MORABASE_OUTCOME_FIRST_WON && probes[1].reason == MORABASE_REASON_TOO_FEW_COWS);
    morabase_free(tables);
}

int main(int argc, char **argv) {
    if (argc != 6) {
        return 2;
    }
    Morabase *tables = NULL;
    EXPECT(morabase_open_shipped(&tables, &error), MORABASE_OK, "");
    wrong_pointers(tables);
    wrong_positions(tables);
    wrong_turns_and_texts(tables);
    morabase_free(tables);
    wrong_tables(argv + 1);
    right_tables(argv + 1);
    for (MorabaseStatus code = MORABASE_OK; code <= MORABASE_ERROR_IO; code++) {
        if (!(seen >> code & 1)) {
            fprintf(stderr, "code %" PRId32 " was not tried\n", code);
            failures++;
        }
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
