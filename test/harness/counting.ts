// Counts the statements that a transaction sends.
import type { TxSql } from '../../api/database/transaction.ts'

export interface Work {
  /** Texts that were written, parts of statements included. */
  texts: string[]
  statements: number
}

/** Notes every text, and counts the statements that are sent. */
export function counting(sql: TxSql, work: Work): TxSql {
  return new Proxy(sql, {
    apply(target, self, details) {
      const made = Reflect.apply(target, self, details)
      if (!(made instanceof Promise)) return made
      work.texts.push(String(details[0]))
      const query = made as Promise<unknown> & { handler(query: unknown): void }
      const send = query.handler
      query.handler = (asked) => {
        work.statements += 1
        send(asked)
      }
      return made
    },
  })
}
