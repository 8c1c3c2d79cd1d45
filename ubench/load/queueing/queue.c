/* SPDX-License-Identifier: ISC */
#include "load/queueing/queue.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

int queue_init(struct queue *queue, uint64_t room, enum queue_policy policy,
               uint64_t numbers, struct err *err)
{
    const bool dedup = policy == QUEUE_DEDUP;

    assert(room >= 1 && (numbers >= 1 || !dedup));
    *queue = (struct queue){ .policy = policy,
                             .room = room,
                             .numbers = numbers,
                             .items = calloc(room, sizeof *queue->items),
                             .waits = dedup ? calloc(numbers, 1) : NULL };
    if (queue->items != NULL && (queue->waits != NULL || !dedup))
        return 0;
    queue_release(queue);
    return err_set(err, "no memory for a queue of %" PRIu64, room);
}

void queue_release(struct queue *queue)
{
    free(queue->items);
    free(queue->waits);
    *queue = (struct queue){ 0 };
}

enum queue_fate queue_push(struct queue *queue, const struct arrival *arrival,
                           struct arrival *displaced)
{
    enum queue_fate fate = QUEUE_TAKEN;

    if (queue->waits != NULL) {
        assert(arrival->number < queue->numbers);
        if (queue->waits[arrival->number])
            return QUEUE_MERGED;
    }
    if (queue->length == queue->room) {
        if (queue->policy != QUEUE_DROP_OLDEST)
            return QUEUE_DROPPED;
        (void)queue_pop(queue, displaced);
        fate = QUEUE_DISPLACED;
    }
    queue->items[(queue->first + queue->length) % queue->room] = *arrival;
    queue->length++;
    if (queue->waits != NULL)
        queue->waits[arrival->number] = 1;
    return fate;
}

bool queue_pop(struct queue *queue, struct arrival *arrival)
{
    if (queue->length == 0)
        return false;
    *arrival = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->room;
    queue->length--;
    if (queue->waits != NULL)
        queue->waits[arrival->number] = 0;
    return true;
}
