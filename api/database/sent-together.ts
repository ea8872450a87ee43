// Statements of one transaction that need nothing of each other travel together: one write to the
// socket and one round trip. PostgreSQL runs them in the order in which they were sent, each with a
// snapshot of its own.

/**
 * Resolves when all have settled. Rejects with the first rejection in the order given: a refusal
 * does not depend on which statement was the faster one, and an error of the database is not hidden
 * by the statements that it aborted.
 */
export async function sentTogether<Results extends readonly unknown[]>(
  sent: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results> {
  const settled = await Promise.allSettled(sent)
  const results = settled.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
  return results as unknown as Results
}
