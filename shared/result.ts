// Success with data or failure with a reason, where an exception would hide the second path.
export type Result<Value, Problem> = { ok: true; value: Value } | { ok: false; error: Problem }
