/* UCT for Nim and Connect Four in C, which speaks the protocol nimdesk-search.
 *
 *     cc -O2 -o uct uct.c -lm && nimdesk add-engine uct-c ./uct
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64, MOVES = 4096 };
typedef struct { int nim, m, n, k, most, misere, piles[SIZE], board[SIZE][SIZE], mover, winner; } Game;
typedef struct { int move, visits, first, count, tried; double value; } Node; /* value for the side that moved here */

static Node *nodes;
static int used, room;
static uint64_t state;

static int below(int n) { /* splitmix64 */
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u, z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (int)(((z ^ z >> 31) >> 32) * (uint64_t)n >> 32);
}

/* A move is a column (0, 1, ...), or 64 times the pile with what is taken; m are columns or piles, piles[x] heights. */
static int moves_of(const Game *g, int *moves) {
    int count = 0;
    if (g->winner >= 0) return 0;
    for (int x = 0; x < g->m; x++) {
        if (!g->nim && g->piles[x] < g->n) moves[count++] = x;
        for (int t = 1; g->nim && t <= g->piles[x] && t <= g->most; t++) moves[count++] = x * MOVES + t;
    }
    return count;
}

static int run(const Game *g, int x, int y, int dx, int dy) {
    int length = 0;
    while (x += dx, y += dy, x >= 0 && x < g->m && y >= 0 && y < g->piles[x] && g->board[x][y] == g->mover) length++;
    return length;
}

static void play(Game *g, int move) {
    static const int way[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    g->mover = 1 - g->mover;
    if (g->nim) {
        int left = 0;
        g->piles[move / MOVES] -= move % MOVES;
        for (int i = 0; i < g->m; i++) left += g->piles[i];
        if (!left) g->winner = g->misere ? 1 - g->mover : g->mover;
        return;
    }
    int y = g->piles[move]++;
    g->board[move][y] = g->mover;
    for (int i = 0; i < 4; i++)
        if (1 + run(g, move, y, way[i][0], way[i][1]) + run(g, move, y, -way[i][0], -way[i][1]) >= g->k)
            g->winner = g->mover;
}

static int move_of(const Game *g, const char *text) {
    int pile, take;
    if (!g->nim) return text[0] - 'a';
    return sscanf(text, "%d-%d", &pile, &take) == 2 ? (pile - 1) * MOVES + take : -1;
}

static int new_node(int move) {
    if (used == room) nodes = realloc(nodes, sizeof(Node) * (room = room ? 2 * room : 1 << 16));
    nodes[used] = (Node){move, 0, -1, 0, 0, 0.0};
    return used++;
}

static void simulate(Game g, double c) {
    int path[SIZE * SIZE], movers[SIZE * SIZE], moves[MOVES], depth = 1, at = 0, count, winner;
    path[0] = 0, movers[0] = g.mover;
    while ((count = moves_of(&g, moves))) {
        if (nodes[at].first < 0) { /* its children, in random order */
            int first = used;
            for (int left = count; left; left--) {
                int i = below(left);
                new_node(moves[i]), moves[i] = moves[left - 1];
            }
            nodes[at].first = first, nodes[at].count = count;
        }
        int fresh = nodes[at].tried < nodes[at].count, best = nodes[at].first + nodes[at].tried;
        double most = -1.0, log_n = log(nodes[at].visits);
        for (int i = 0; i < nodes[at].count && !fresh; i++) {
            Node *child = nodes + nodes[at].first + i;
            double bound = child->value / child->visits + c * sqrt(log_n / child->visits);
            if (bound > most) most = bound, best = (int)(child - nodes);
        }
        nodes[at].tried += fresh;
        play(&g, nodes[at = best].move);
        path[depth] = at, movers[depth++] = g.mover;
        if (fresh) break;
    }
    while ((count = moves_of(&g, moves))) play(&g, moves[below(count)]);
    winner = g.winner;
    while (depth--) {
        nodes[path[depth]].visits++;
        nodes[path[depth]].value += winner < 0 ? 0.5 : winner == movers[depth];
    }
}

static const char *after(const char *line, const char *key) { /* what follows "key": */
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : NULL;
}

static int read_moves(const Game *g, const char *at, int *moves) {
    int count = 0;
    for (; at && *at && *at != ']'; at++)
        if (*at == '"') moves[count++] = move_of(g, ++at), at = strchr(at, '"');
    return count;
}

static Game read_game(const char *line) {
    Game g = {.most = 1 << 30, .mover = 1, .winner = -1};
    const char *at = after(line, "\"game\":\""), *end = strchr(at, '"'), *most = strstr(at, ":max");
    int moves[MOVES], count;
    g.nim = !strncmp(at, "nim:", 4), g.misere = strstr(at, ":misere") && strstr(at, ":misere") < end;
    if (most && most < end) g.most = atoi(most + 4);
    if (!g.nim) sscanf(at, "mnk:%d,%d,%d", &g.m, &g.n, &g.k);
    for (at += 4; g.nim && *at >= '0' && *at <= '9'; at += *at == ',') g.piles[g.m++] = (int)strtol(at, (char **)&at, 10);
    count = read_moves(&g, after(line, "\"moves\":["), moves);
    for (int i = 0; i < count; i++) play(&g, moves[i]);
    return g;
}

int main(void) {
    static char line[1 << 20];
    int legal[MOVES], count = 0, done = 0, fresh = 0;
    double c = 1.414;
    Game root = {0};
    puts("{\"is\":\"greeting\",\"protocol\":\"nimdesk-search\",\"version\":1,\"name\":\"UCT in C\","
         "\"counts\":\"iterations\",\"samples\":true,\"chooses\":\"visits\",\"games\":[\"nim\",\"mnk\"],\"options\":["
         "{\"name\":\"exploration\",\"kind\":\"float\",\"default\":1.414,\"minimum\":0,\"maximum\":100}]}");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"is\":\"quit\"")) break;
        if (strstr(line, "\"is\":\"position\"")) {
            if (strstr(line, "\"game\":\"mnk:") && !strstr(line, ":gravity\"")) {
                puts("{\"is\":\"error\",\"why\":\"knows m,n,k games with gravity only\"}");
                return 0;
            }
            root = read_game(line), count = read_moves(&root, after(line, "\"legal\":["), legal);
            c = atof(after(line, "\"exploration\":"));
            used = done = 0, fresh = 1, new_node(-1);
        } else if (strstr(line, "\"is\":\"go\"")) {
            const char *most = after(line, "\"iterations\":");
            if (fresh) state = strtoull(after(line, "\"seed\":"), NULL, 10), fresh = 0;
            for (int until = most ? atoi(most) : done + 1; done < until; done++) simulate(root, c);
            for (int sums = 0; sums < 2; sums++) {
                printf(sums ? "],\"value_sums\":[" : "{\"is\":\"checkpoint\",\"iterations\":%d,\"visits\":[", done);
                for (int i = 0; i < count; i++) {
                    Node none = {0}, *node = &none;
                    for (int j = 0; j < nodes[0].count; j++)
                        if (nodes[nodes[0].first + j].move == legal[i]) node = nodes + nodes[0].first + j;
                    printf(sums ? "%s%.1f" : "%s%.0f", i ? "," : "", sums ? node->value : (double)node->visits);
                }
            }
            puts("]}\n{\"is\":\"best\"}");
            fflush(stdout);
        }
    }
    return 0;
}
