/* SPDX-License-Identifier: Apache-2.0
 * Primitives that no tool knows: built without heddle, on nothing but atomics. */
#ifndef OWN_LOCK_H
#define OWN_LOCK_H

struct own_lock { int word; double waited; };
struct own_gate { int tokens; };

int own_lock(struct own_lock *, int how);
void own_unlock(struct own_lock *);
int own_trylock(struct own_lock *); /* 0: taken */
float own_weighed_lock(double weight, struct own_lock *, char tag, float more);
unsigned char own_wide_lock(long, long, long, long, long, long, struct own_lock *, double);
void giant_lock(void);
void giant_unlock(void);
int gate_take(struct own_gate *);
void gate_put(struct own_gate *);

#endif
