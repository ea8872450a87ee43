// Step 3. Message id → earlier answer. A repeat gets the byte-identical answer or joins the open
// message; the same id with other content gets a mismatch and leaves no trace.
import { answerText, mismatchText, recalledText } from './answer-text.ts'
import type { Arrival, Line, Message } from './line.ts'
import type { OpenMessages } from './open-messages.ts'

/**
 * `fresh`: the first message with this id. `joined`: the answer will go to this arrival too.
 * `text`: answer with it now.
 */
export type Recalled = 'fresh' | 'joined' | { text: string }

/** Searches the open messages, whose answer the arrival then joins, and the answers given. */
export function recall(
  line: Line,
  pending: OpenMessages,
  arrival: Arrival,
  message: Message,
): Recalled {
  const open = pending.find(message.messageKey)
  if (open !== null) {
    if (!open.message.contentHash.equals(message.contentHash)) {
      return { text: mismatchText(message.record.id, open.transactionId?.text ?? null) }
    }
    open.arrivals.push(arrival)
    return 'joined'
  }
  const slot = line.state.recall.find(message.messageKey)
  if (slot === -1) return 'fresh'
  const earlier = line.state.recall.read(slot)
  if (!earlier.contentHash.equals(message.contentHash)) {
    return { text: mismatchText(message.record.id, earlier.transactionId) }
  }
  return { text: answerText(recalledText(message.record, earlier)) }
}
