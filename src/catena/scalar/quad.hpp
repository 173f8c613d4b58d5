// Quadruple precision (113 bits), for references: slow and right.
#pragma once

#if defined(__SIZEOF_FLOAT128__)
#define CATENA_HAS_QUAD 1
#else
#define CATENA_HAS_QUAD 0
#endif

#if CATENA_HAS_QUAD
namespace catena {

__extension__ typedef __float128 Quad;

Quad sqrt(Quad x);
void sincos(Quad x, Quad& s, Quad& c);
inline Quad sign(Quad x) { return static_cast<Quad>((x > 0) - (x < 0)); }

}  // namespace catena
#endif
