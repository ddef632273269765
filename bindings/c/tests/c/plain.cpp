// The header in C++: it compiles, and names and values are the same.
#include <iostream>
#include <memory>

#include "morabase.h"

struct Free {
    void operator()(Morabase *tables) const { morabase_free(tables); }
};

int main() {
    MorabaseError error;
    Morabase *raw = nullptr;
    if (morabase_open_shipped(&raw, &error) != MORABASE_OK) {
        std::cerr << error.text << "\n";
        return 1;
    }
    std::unique_ptr<Morabase, Free> tables(raw);
    MorabasePosition position = MorabasePosition();
    MorabaseRankedTurn best;
    if (morabase_position_parse(tables.get(), "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4", &position, &error) != MORABASE_OK ||
        morabase_best_turn(tables.get(), &position, &best, &error) != MORABASE_OK) {
        std::cerr << error.text << "\n";
        return 1;
    }
    char text[16];
    morabase_turn_print(&best.turn, MORABASE_FORM_GRID, text, sizeof text, nullptr, nullptr);
    const bool won = best.value.wdl == MORABASE_WDL_WON && best.verdict == MORABASE_VERDICT_WON;
    std::cout << text << (won ? " wins in " : " does not win in ") << best.value.dtc << "\n";
    return 0;
}
