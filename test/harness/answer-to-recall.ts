// Answers as the recall table takes them.
import { createHash } from 'node:crypto'
import type { AnswerToRecall } from '../../engine/state/recall-table.ts'

export const ANSWERED_MS = Date.UTC(2026, 10, 20)

/** Each number has its own answer and key. */
export function answerToRecall(number: number, over: Partial<AnswerToRecall> = {}): AnswerToRecall {
  return {
    key: createHash('md5').update(String(number)).digest(),
    contentHash: Buffer.alloc(8, number),
    transaction: Buffer.alloc(16, number),
    approved: true,
    approvedAmountCents: number,
    authorizationCode: '012345',
    declineReason: null,
    decidedBy: 'tenant',
    standIn: false,
    availableCents: null,
    advisedCode: null,
    receivedAtMs: ANSWERED_MS + number,
    ...over,
  }
}
