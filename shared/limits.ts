// Bounds that more than one folder relies on, with their unit last and their origin beside them.

/** Spec 8: real-time authorization response budget. */
export const AUTH_BUDGET_MS = 1500
/** A decision that is concluded later than this after receipt is a decline: the machine slept. */
export const CONCLUDE_LATEST_MS = 2000
/** Body of a network message. */
export const NETWORK_BODY_BYTES_MAX = 16 * 1024
/** Body of a tenant's reply. */
export const TENANT_REPLY_BYTES_MAX = 16 * 1024
/** A tenant call stays open this long after it was sent, so that a late reply can be recorded. */
export const TENANT_CALL_MS_MAX = 10_000
/** Calls past their deadline that are still listened to, over all tenants. */
export const LATE_CALLS_MAX = 1000
/** Chosen: tenant calls in flight per tenant; beyond it the bulkhead is full. */
export const TENANT_CALLS_MAX = 256
/** Chosen: a message sent longer ago than this is refused, never decided twice. */
export const MESSAGE_AGE_MS_MAX = 24 * 3_600_000
/** Chosen: a message from further ahead than this is refused. */
export const MESSAGE_AHEAD_MS_MAX = 10 * 60_000
/** Chosen: answers are recalled this long, so twice as long as a message may be old. */
export const RECALL_MS = 48 * 3_600_000
/** Records waiting for the journal; beyond it, 503. */
export const JOURNAL_QUEUE_MAX = 10_000
/** Age of the oldest waiting record; beyond it, 503. */
export const JOURNAL_AGE_MS_MAX = 250
/** A write that takes longer is a broken disk: fail-stop. */
export const JOURNAL_WATCHDOG_MS = 2000
/** The engine must have a tightening change within this, else 503. */
export const ENGINE_COVER_MS_MAX = 1000
/** Chosen: a clock that jumps further than this stops the engine. */
export const CLOCK_STEP_MS_MAX = 60_000
/**
 * Chosen: two clocks that differ by more disagree; clocks that are kept right differ by
 * milliseconds.
 */
export const CLOCK_APART_MS_MAX = 60_000
/**
 * Chosen: after a reboot, so long a time since the last decision needs no second source to be
 * believed.
 */
export const CLOCK_GAP_MS_MAX = 15 * 60_000
/** Spec 4.1. */
export const PAGE_DEFAULT = 25
export const PAGE_MAX = 100
/** Chosen: rows of one file of a list. The next file begins after the last row's id. */
export const CSV_ROWS_MAX = 10_000
export const API_BODY_BYTES_MAX = 1024 * 1024
/** Chosen: wrong PINs in a row after which none is right. */
export const PIN_TRIES_MAX = 3
