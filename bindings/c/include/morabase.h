/*
 * morabase: exact endgame tables for Morabaraba.
 *
 * Made by cbindgen from bindings/c/src; do not edit. docs/c.md is the guide.
 *
 * In all functions: structs are plain and the caller's, strings are UTF-8 and end with NUL, a pointer that the comment does not
 * allow to be NULL must not be (MORABASE_ERROR_NULL says so), and results count only if MORABASE_OK is returned. Any number of
 * threads may use one handle at a time; there is no hidden state and no last error. No function prints, exits or throws.
 * Beside the statuses that a comment names, any function may return MORABASE_ERROR_ARGUMENT for a misaligned pointer and
 * MORABASE_ERROR_INTERNAL for a fault of its own.
 */

#ifndef MORABASE_H
#define MORABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Length of the text in a MorabaseError in bytes, with its NUL.
 */
#define MORABASE_ERROR_TEXT_SIZE 1016

/**
 * Stands for no point in a MorabaseTurn.
 */
#define MORABASE_NO_POINT 255

/**
 * A capacity that the turns of any position fit in: each of the 40 edges leads one way, or 3 cows fly, or a cow is placed; and at
 * most 12 cows can be shot.
 */
#define MORABASE_MAX_TURNS 512

/**
 * What a function returns: MORABASE_OK, or why there is no answer. Numbers keep their meaning in later versions, and new
 * ones may be added.
 */
enum MorabaseStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * Done; all results are written.
   */
  MORABASE_OK = 0,
  /**
   * A pointer that must not be NULL is NULL.
   */
  MORABASE_ERROR_NULL = 1,
  /**
   * An argument or option has a value it cannot have.
   */
  MORABASE_ERROR_ARGUMENT = 2,
  /**
   * A text is not UTF-8, or is not a position, turn or rule set.
   */
  MORABASE_ERROR_TEXT = 3,
  /**
   * The position cannot occur under the rules of the tables.
   */
  MORABASE_ERROR_POSITION = 4,
  /**
   * The turn is not legal in this position.
   */
  MORABASE_ERROR_TURN = 5,
  /**
   * The game is over, so there is no turn.
   */
  MORABASE_ERROR_GAME_OVER = 6,
  /**
   * There are cows in hand, and no game leads to so many on the board and in hand: there is no table. MorabaseError names the
   * class.
   */
  MORABASE_ERROR_HANDS = 7,
  /**
   * The table of a class is in no directory. MorabaseError names the class.
   */
  MORABASE_ERROR_MISSING_TABLE = 8,
  /**
   * Tables are of different rules, or not of the rules that were asked for.
   */
  MORABASE_ERROR_RULES = 9,
  /**
   * A path leads to nothing, or to something that is no directory.
   */
  MORABASE_ERROR_NOT_A_DIRECTORY = 10,
  /**
   * A table file is damaged, is no table, or is of another format version.
   */
  MORABASE_ERROR_CORRUPT = 11,
  /**
   * Tables contradict each other. MorabaseError names the class.
   */
  MORABASE_ERROR_CONTRADICTION = 12,
  /**
   * The operating system refused to open or read a file or directory.
   */
  MORABASE_ERROR_IO = 13,
  /**
   * A fault of this library. Please report it with the text.
   */
  MORABASE_ERROR_INTERNAL = -1
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseStatus MorabaseStatus;
#else
typedef int32_t MorabaseStatus;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * Who wins under best play, seen from the side to move.
 */
enum MorabaseWdl
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int8_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * The side to move loses.
   */
  MORABASE_WDL_LOST = -1,
  /**
   * Neither side can win.
   */
  MORABASE_WDL_DRAWN = 0,
  /**
   * The side to move wins.
   */
  MORABASE_WDL_WON = 1
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseWdl MorabaseWdl;
#else
typedef int8_t MorabaseWdl;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * Won, drawn or lost with the draws told apart that only the draw counter makes. The numbers are those of Fathom's results.
 */
enum MorabaseVerdict
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * The side to move loses.
   */
  MORABASE_VERDICT_LOST = 0,
  /**
   * Lost with the counter at zero, but the counter runs out first: a draw.
   */
  MORABASE_VERDICT_BLESSED_LOSS = 1,
  /**
   * Drawn, wherever the counter stands.
   */
  MORABASE_VERDICT_DRAWN = 2,
  /**
   * Won with the counter at zero, but the counter runs out first: a draw.
   */
  MORABASE_VERDICT_CURSED_WIN = 3,
  /**
   * The side to move wins.
   */
  MORABASE_VERDICT_WON = 4
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseVerdict MorabaseVerdict;
#else
typedef uint8_t MorabaseVerdict;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * Whether and how the game has ended.
 */
enum MorabaseOutcome
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * The game goes on.
   */
  MORABASE_OUTCOME_NONE = 0,
  /**
   * The first player has won.
   */
  MORABASE_OUTCOME_FIRST_WON = 1,
  /**
   * The second player has won.
   */
  MORABASE_OUTCOME_SECOND_WON = 2,
  /**
   * The game is drawn.
   */
  MORABASE_OUTCOME_DRAWN = 3
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseOutcome MorabaseOutcome;
#else
typedef uint8_t MorabaseOutcome;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * Why the game is over.
 */
enum MorabaseReason
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * It is not over.
   */
  MORABASE_REASON_NONE = 0,
  /**
   * A player has fewer than three cows.
   */
  MORABASE_REASON_TOO_FEW_COWS = 1,
  /**
   * The player to move has no legal turn.
   */
  MORABASE_REASON_BLOCKED = 2,
  /**
   * All 24 points are taken and the rules call that a draw.
   */
  MORABASE_REASON_FULL_BOARD = 3,
  /**
   * The draw counter has reached its limit.
   */
  MORABASE_REASON_COUNTER = 4
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseReason MorabaseReason;
#else
typedef uint8_t MorabaseReason;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * The two players. The first places the first cow; names of colours are labels.
 */
enum MorabaseSide
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * The player who places the first cow, `W` in texts.
   */
  MORABASE_SIDE_FIRST = 0,
  /**
   * The other player, `B` in texts.
   */
  MORABASE_SIDE_SECOND = 1
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseSide MorabaseSide;
#else
typedef uint8_t MorabaseSide;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * How a text is written. Whatever the form, it reads back the same.
 */
enum MorabaseForm
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif /* defined(__cplusplus) || __STDC_VERSION__ >= 202311L */
 {
  /**
   * The short form with points named by column and row, "W:Wa7,d7,g7:Bb6,d6,c5", "d6-d5xb4".
   */
  MORABASE_FORM_GRID = 0,
  /**
   * The short form with points named by ring and number, "W:WE1,E2,E3:BA1,A2,R1", "A2-R2xA8".
   */
  MORABASE_FORM_RINGS = 1,
  /**
   * For positions: the 17-field FEN of the Sanmill program, its move number 1.
   */
  MORABASE_FORM_FEN = 2
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MorabaseForm MorabaseForm;
#else
typedef uint8_t MorabaseForm;
#endif /* __STDC_VERSION__ >= 202311L */
#endif /* __cplusplus */

/**
 * The tables of one rule set, opened. Made by morabase_open() and its kin, given back with morabase_free().
 *
 * Nothing changes in it after it is made, so any number of threads may use it at the same time without a lock.
 */
typedef struct Morabase Morabase;

/**
 * How tables are opened. Start from a struct of zeros, which stands for the defaults.
 */
typedef struct MorabaseOptions {
  /**
   * The rules that tables must be of: a name such as "gar" or "plain", or a text as morabase_rules_text() gives it. NULL takes
   * the rules of the first table found, or "gar" if there is none.
   */
  const char *rules;
  /**
   * 1 if the tables inside the library (gar, up to 8 cows) stand in for classes that no directory has, if they are of the same
   * rules; 0 if not.
   */
  uint8_t shipped;
  /**
   * 1 if files are read piece by piece instead of mapped into memory: for network drives. 0 maps them.
   */
  uint8_t no_mmap;
  /**
   * Zero.
   */
  uint8_t reserved[6];
} MorabaseOptions;

/**
 * A class of positions by material, `4-3` or with cows in hand `2-3+2-1`. All zero where there is none.
 */
typedef struct MorabaseClass {
  /**
   * Cows of the side to move on the board, 0 to 12.
   */
  uint8_t mover;
  /**
   * Cows of the waiting side on the board, 0 to 12.
   */
  uint8_t waiting;
  /**
   * Cows of the side to move in hand, 0 to 12; 0 in the moving phase.
   */
  uint8_t mover_hand;
  /**
   * Cows of the waiting side in hand, 0 to 12; 0 in the moving phase.
   */
  uint8_t waiting_hand;
} MorabaseClass;

/**
 * An error as a function leaves it in the caller's struct. Every function that takes a MorabaseError pointer fills the struct
 * in, with MORABASE_OK and an empty text if all went well; NULL is allowed and saves the work.
 */
typedef struct MorabaseError {
  /**
   * The same that the function returns.
   */
  MorabaseStatus status;
  /**
   * The class that MORABASE_ERROR_HANDS, _MISSING_TABLE or _CONTRADICTION is about; all zero for any other error.
   */
  struct MorabaseClass table_class;
  /**
   * What was expected, what was found and what to do, in English, UTF-8, ended by NUL. A text that is too long loses its
   * middle.
   */
  char text[MORABASE_ERROR_TEXT_SIZE];
} MorabaseError;

/**
 * A table in the caller's memory.
 */
typedef struct MorabaseBytes {
  /**
   * The name that its file has or would have, such as "4-3.mora".
   */
  const char *name;
  /**
   * The file's bytes.
   */
  const uint8_t *bytes;
  /**
   * How many there are.
   */
  size_t length;
} MorabaseBytes;

/**
 * What a player's last turn left for the no-remake rule: the cow that went `from` -> `to` broke a line and completed one. Equal
 * points, such as two zeros, stand for nothing left.
 */
typedef struct MorabaseRemake {
  /**
   * The point the cow left, 0 to 23.
   */
  uint8_t from;
  /**
   * The point where it completed a line, 0 to 23.
   */
  uint8_t to;
} MorabaseRemake;

/**
 * A position. Start from a struct of zeros: what is not filled in then means that there is nothing of it.
 *
 * Bit `p` of a bitboard is point `p` = ring * 8 + (n - 1): the exterior ring E1..E8 is bits 0 to 7, the middle ring A 8 to 15, the
 * inner ring R 16 to 23, each clockwise from its top-left corner. On the grid, from bit 0: a7 d7 g7 g4 g1 d1 a1 a4,
 * b6 d6 f6 f4 f2 d2 b2 b4, c5 d5 e5 e4 e3 d3 c3 c4.
 */
typedef struct MorabasePosition {
  /**
   * Cows on the board, the first player's and the second's; bits 24 to 31 are zero.
   */
  uint32_t cows[2];
  /**
   * Plies of the moving phase since the last shot. Whether they count is the rules' matter.
   */
  uint16_t counter;
  /**
   * Cows in hand, the first player's and the second's.
   */
  uint8_t hands[2];
  /**
   * A MorabaseSide: whose turn it is.
   */
  uint8_t to_move;
  /**
   * 1 if the side to move has completed a line and its shot is still to come, 0 otherwise.
   */
  uint8_t shot_pending;
  /**
   * What each player's last turn left for the no-remake rule.
   */
  struct MorabaseRemake remakes[2];
  /**
   * Zero.
   */
  uint8_t reserved[2];
} MorabasePosition;

/**
 * A value for the side to move, and its distance (DTC): plies to the next shot or to the end of the game, where the winner
 * hurries and the loser delays. While there are cows in hand plies are not counted: each placement is progress.
 */
typedef struct MorabaseValue {
  /**
   * Who wins.
   */
  MorabaseWdl wdl;
  /**
   * Zero.
   */
  uint8_t reserved;
  /**
   * The distance in plies: 0 if the game is over, for every draw, and where plies are not counted.
   */
  uint16_t dtc;
} MorabaseValue;

/**
 * What a probe answers.
 */
typedef struct MorabaseProbe {
  /**
   * The value, with the draw counter and all restrictions where they stand.
   */
  struct MorabaseValue value;
  /**
   * The value if the draw counter stood at zero. It differs from `value` only where that is a draw.
   */
  struct MorabaseValue at_zero;
  /**
   * The value at counter zero without the no-remake restrictions.
   */
  struct MorabaseValue unrestricted;
  /**
   * The value with draws told apart that only the counter makes.
   */
  MorabaseVerdict verdict;
  /**
   * Whether and how the game has ended.
   */
  MorabaseOutcome outcome;
  /**
   * Why the game is over.
   */
  MorabaseReason reason;
  /**
   * The class of the position, cows in hand included; all zero with fewer than three cows on a side.
   */
  struct MorabaseClass table_class;
  /**
   * Zero.
   */
  uint8_t reserved;
} MorabaseProbe;

/**
 * A turn. MORABASE_NO_POINT (not zero, which is a point) stands where there is no point.
 */
typedef struct MorabaseTurn {
  /**
   * The point that the cow leaves; none if it is placed from the hand.
   */
  uint8_t from;
  /**
   * The point that the cow goes to or is placed on; none if the turn is the shot alone that was still to come.
   */
  uint8_t to;
  /**
   * The point of the opponent's cow that is shot; none if nothing is shot.
   */
  uint8_t shot;
} MorabaseTurn;

/**
 * A legal turn and what it is worth to the side that makes it.
 */
typedef struct MorabaseRankedTurn {
  /**
   * The turn.
   */
  struct MorabaseTurn turn;
  /**
   * The value with draws told apart that only the counter makes.
   */
  MorabaseVerdict verdict;
  /**
   * The value for the side that makes the turn; the distance includes this turn, and is 1 for a shot. It is 0, as not
   * counted, if there were cows in hand before the turn.
   */
  struct MorabaseValue value;
  /**
   * The position it leads to.
   */
  struct MorabasePosition after;
  /**
   * The answer on that position, for the other side.
   */
  struct MorabaseProbe reply;
} MorabaseRankedTurn;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/**
 * Opens the tables in some directories; where several have a class, the first of them answers for it. The head of each file
 * is read and nothing else. A damaged file does not keep the others from answering; what needs it gets
 * MORABASE_ERROR_CORRUPT then.
 *
 * Ownership: paths and options stay the caller's and are not needed after the call. On success `*out` is a handle that the caller
 * gives back with morabase_free(); otherwise it is NULL.
 *
 * @param paths    `count` paths of directories; UTF-8 on Windows. NULL will do if count is 0.
 * @param count    How many there are. With none, and without the tables inside the library, only what the rules alone say is answered.
 * @param options  NULL for the defaults.
 * @param out      Where the handle goes.
 * @param error    NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (an option), _TEXT (the rules' name), _NOT_A_DIRECTORY, _RULES, _IO.
 */
MorabaseStatus morabase_open(const char *const *paths,
                             size_t count,
                             const struct MorabaseOptions *options,
                             struct Morabase **out,
                             struct MorabaseError *error);

/**
 * Opens the tables inside the library: the rules "gar", all classes of up to 8 cows.
 *
 * Ownership: as morabase_open().
 *
 * @param out    Where the handle goes.
 * @param error  NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL.
 */
MorabaseStatus morabase_open_shipped(struct Morabase **out, struct MorabaseError *error);

/**
 * Opens tables from memory.
 *
 * Ownership: the bytes are copied and stay the caller's. The handle is as that of morabase_open().
 *
 * @param files  `count` tables.
 * @param count  How many there are.
 * @param out    Where the handle goes.
 * @param error  NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (a length), _TEXT (a name that is not UTF-8), _RULES, _CORRUPT (a name that
 *         says no class).
 */
MorabaseStatus morabase_open_bytes(const struct MorabaseBytes *files,
                                   size_t count,
                                   struct Morabase **out,
                                   struct MorabaseError *error);

/**
 * A second handle of the same tables, at the cost of a small allocation: for a thread that must not depend on when another
 * gives its handle back.
 *
 * Ownership: each handle is given back by itself with morabase_free().
 *
 * @param tables  A handle.
 * @param out     Where the new handle goes.
 * @param error   NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL.
 */
MorabaseStatus morabase_clone(const struct Morabase *tables,
                              struct Morabase **out,
                              struct MorabaseError *error);

/**
 * Gives a handle back: its files are closed when the last of its clones is. NULL is allowed and does nothing.
 *
 * Ownership: the handle must not be used after this, nor by another thread during it.
 */
void morabase_free(struct Morabase *tables);

/**
 * The canonical text of the rules of all tables; positions are read and checked under them.
 *
 * Ownership: the text belongs to the handle and lives as long as it. NULL if the handle is NULL.
 */
const char *morabase_rules_text(const struct Morabase *tables);

/**
 * Whether the table of a class is there and has a sound head. False for numbers that are no class, and if the handle is NULL.
 */
bool morabase_has_class(const struct Morabase *tables,
                        struct MorabaseClass wanted);

/**
 * The greatest number of cows, both sides together, up to which no class is missing. 0 if even 3-3 is, and if the handle
 * is NULL.
 */
uint8_t morabase_complete_up_to(const struct Morabase *tables);

/**
 * Reads the whole table of a class, checks every checksum and decodes all of it: takes time and disk for big ones. It works in
 * one thread, which ends with the call; several classes can be checked at once.
 *
 * @param tables    A handle.
 * @param wanted    The class.
 * @param error     NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (no class), _MISSING_TABLE, _CORRUPT, _IO.
 */
MorabaseStatus morabase_check_class(const struct Morabase *tables,
                                    struct MorabaseClass wanted,
                                    struct MorabaseError *error);

/**
 * Reads the whole table of a class and checks its checksums, so that morabase_probe_cached() answers about its positions.
 *
 * @param tables    A handle.
 * @param wanted    The class.
 * @param error     NULL, or where the error's text goes.
 * @return As morabase_check_class().
 */
MorabaseStatus morabase_preload(const struct Morabase *tables,
                                struct MorabaseClass wanted,
                                struct MorabaseError *error);

/**
 * The version of the library, such as "0.1.0".
 *
 * Ownership: the text lives as long as the library is loaded.
 */
const char *morabase_version(void);

/**
 * The exact value of a position for the side to move, with its history: draw counter and no-remake restrictions.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle.
 * @param position  The position.
 * @param probe     Where the answer goes.
 * @param error     NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _POSITION, _HANDS, _MISSING_TABLE, _CORRUPT, _IO.
 */
MorabaseStatus morabase_probe(const struct Morabase *tables,
                              const struct MorabasePosition *position,
                              struct MorabaseProbe *probe,
                              struct MorabaseError *error);

/**
 * The value of a position if no disk has to be asked, for use inside a search. Nothing is found where a part of a file would be
 * read for the first time since the tables were opened (morabase_preload() reads a class beforehand), nor ever with tables
 * that were opened with `no_mmap`.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle.
 * @param position  The position.
 * @param found     Where it goes whether there is an answer.
 * @param probe     Where the answer goes; left alone if there is none.
 * @param error     NULL, or where the error's text goes.
 * @return As morabase_probe(); MORABASE_OK also if nothing was found.
 */
MorabaseStatus morabase_probe_cached(const struct Morabase *tables,
                                     const struct MorabasePosition *position,
                                     bool *found,
                                     struct MorabaseProbe *probe,
                                     struct MorabaseError *error);

/**
 * Won, drawn or lost for the side to move, with its history.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle.
 * @param position  The position.
 * @param wdl       Where the answer goes.
 * @param error     NULL, or where the error's text goes.
 * @return As morabase_probe().
 */
MorabaseStatus morabase_probe_wdl(const struct Morabase *tables,
                                  const struct MorabasePosition *position,
                                  MorabaseWdl *wdl,
                                  struct MorabaseError *error);

/**
 * All legal turns with their values, best first: wins with the fewest plies, then draws (cursed wins, plain draws, blessed
 * losses), then losses with the most plies. None once the game is over.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle.
 * @param position  The position.
 * @param turns     Where the first `capacity` of them go; NULL will do if capacity is 0.
 * @param capacity  MORABASE_MAX_TURNS is always enough.
 * @param count     Where their number goes, which may be greater than capacity.
 * @param error     NULL, or where the error's text goes.
 * @return As morabase_probe(), for the position and for every position a turn leads to.
 */
MorabaseStatus morabase_turns(const struct Morabase *tables,
                              const struct MorabasePosition *position,
                              struct MorabaseRankedTurn *turns,
                              size_t capacity,
                              size_t *count,
                              struct MorabaseError *error);

/**
 * The best turn: the first that morabase_turns() gives.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle.
 * @param position  The position.
 * @param turn      Where the turn goes.
 * @param error     NULL, or where the error's text goes.
 * @return As morabase_turns(), and MORABASE_ERROR_GAME_OVER.
 */
MorabaseStatus morabase_best_turn(const struct Morabase *tables,
                                  const struct MorabasePosition *position,
                                  struct MorabaseRankedTurn *turn,
                                  struct MorabaseError *error);

/**
 * Best play for both sides, through shots and smaller classes, until the game is over or the position is drawn. A line of a drawn
 * or finished position has no turns. Why a longer one stops, the `reply` of its last turn says: its `outcome`, or a draw.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle.
 * @param position  The position.
 * @param turns     Where the first `capacity` turns go, in the order they are played; NULL will do if capacity is 0.
 * @param capacity  How many there is room for; the count says how many a second call needs.
 * @param count     Where their number goes, which may be greater than capacity.
 * @param error     NULL, or where the error's text goes.
 * @return As morabase_turns(), and MORABASE_ERROR_CONTRADICTION.
 */
MorabaseStatus morabase_line(const struct Morabase *tables,
                             const struct MorabasePosition *position,
                             struct MorabaseRankedTurn *turns,
                             size_t capacity,
                             size_t *count,
                             struct MorabaseError *error);

/**
 * The start of a game: an empty board, all cows in hand, the first player to move.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle, for its rules.
 * @param position  Where the position goes.
 * @param error     NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL.
 */
MorabaseStatus morabase_start(const struct Morabase *tables,
                              struct MorabasePosition *position,
                              struct MorabaseError *error);

/**
 * All legal turns, in the order of their points; none once the game is over. Good for testing a move generator.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle, for its rules.
 * @param position  The position; cows may be in hand.
 * @param turns     Where the first `capacity` of them go; NULL will do if capacity is 0.
 * @param capacity  MORABASE_MAX_TURNS is always enough.
 * @param count     Where their number goes, which may be greater than capacity.
 * @param error     NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _POSITION.
 */
MorabaseStatus morabase_legal_turns(const struct Morabase *tables,
                                    const struct MorabasePosition *position,
                                    struct MorabaseTurn *turns,
                                    size_t capacity,
                                    size_t *count,
                                    struct MorabaseError *error);

/**
 * The position after a turn, its counter and restrictions included: make it this way and the history is right.
 *
 * Ownership: everything stays the caller's. `after` may be the same struct as `position`.
 *
 * @param tables    A handle, for its rules.
 * @param position  The position; cows may be in hand.
 * @param turn      The turn, with its shot if it completes a line.
 * @param after     Where the position after it goes.
 * @param error     NULL, or where the error's text goes.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _ARGUMENT (a turn of impossible points), _POSITION, _TURN, _GAME_OVER.
 */
MorabaseStatus morabase_apply(const struct Morabase *tables,
                              const struct MorabasePosition *position,
                              const struct MorabaseTurn *turn,
                              struct MorabasePosition *after,
                              struct MorabaseError *error);

/**
 * Reads a position in short form or FEN and checks it against the rules.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle, for its rules.
 * @param text      The text, UTF-8, ended by NUL.
 * @param position  Where the position goes.
 * @param error     NULL, or where the error's text goes: the token at fault and what was expected.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _TEXT, _POSITION.
 */
MorabaseStatus morabase_position_parse(const struct Morabase *tables,
                                       const char *text,
                                       struct MorabasePosition *position,
                                       struct MorabaseError *error);

/**
 * Writes a position as a text, as snprintf() does: what there is room for, always ended by NUL if there is any room.
 *
 * Ownership: everything stays the caller's.
 *
 * @param tables    A handle, for its rules.
 * @param position  The position.
 * @param form      A MorabaseForm.
 * @param buffer    Where the text goes; NULL will do if size is 0.
 * @param size      Room in the buffer, its NUL included. 128 bytes are always enough.
 * @param length    NULL, or where the length of the whole text goes, without NUL; if it is `size` or more, the text was cut.
 * @param error     NULL, or where the error's text goes.
 * @return MORABASE_OK (a cut text too), MORABASE_ERROR_NULL, _ARGUMENT (the form), _POSITION.
 */
MorabaseStatus morabase_position_print(const struct Morabase *tables,
                                       const struct MorabasePosition *position,
                                       uint8_t form,
                                       char *buffer,
                                       size_t size,
                                       size_t *length,
                                       struct MorabaseError *error);

/**
 * Reads a turn such as "d2", "d2-d3", "d2-d3xa7" or "xa7". Whether it is legal somewhere is not asked.
 *
 * Ownership: everything stays the caller's.
 *
 * @param text   The text, UTF-8, ended by NUL.
 * @param turn   Where the turn goes.
 * @param error  NULL, or where the error's text goes: the token at fault and what was expected.
 * @return MORABASE_OK, MORABASE_ERROR_NULL, _TEXT.
 */
MorabaseStatus morabase_turn_parse(const char *text, struct MorabaseTurn *turn, struct MorabaseError *error);

/**
 * Writes a turn as a text, as morabase_position_print() does a position.
 *
 * Ownership: everything stays the caller's.
 *
 * @param turn    The turn.
 * @param form    MORABASE_FORM_GRID or MORABASE_FORM_RINGS.
 * @param buffer  Where the text goes; NULL will do if size is 0.
 * @param size    Room in the buffer, its NUL included. 16 bytes are always enough.
 * @param length  NULL, or where the length of the whole text goes, without NUL.
 * @param error   NULL, or where the error's text goes.
 * @return MORABASE_OK (a cut text too), MORABASE_ERROR_NULL, _ARGUMENT (the form, or a turn of impossible points).
 */
MorabaseStatus morabase_turn_print(const struct MorabaseTurn *turn,
                                   uint8_t form,
                                   char *buffer,
                                   size_t size,
                                   size_t *length,
                                   struct MorabaseError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  /* __cplusplus */

#endif  /* MORABASE_H */
