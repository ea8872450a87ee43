// Causes of events and their arrivals at a receiver, as a table.
import type { OwnTenant } from '../../../scripts/simulate/own-tenant.ts'
import type { Stage } from '../../../scripts/simulate/stage.ts'
import { systemClock } from '../../../shared/clock.ts'
import type { WebhookReceiver } from '../webhook-receiver.ts'

export interface EventWorld {
  /** The tenant of `npm start`, with its cards and the card network. */
  stage: Stage
  /** A tenant of its own, whose person approves calls. */
  own: OwnTenant
  table: EventTable
  receiver: WebhookReceiver
}

interface Row {
  type: string
  cause: string
  resourceId: string
  seconds: number
}

const MS_PER_S = 1000
const COLUMN_GAP = 2

export class EventTable {
  readonly #receiver: WebhookReceiver
  readonly #rows: Row[] = []

  constructor(receiver: WebhookReceiver) {
    this.#receiver = receiver
  }

  /**
   * Runs a cause and waits until an event of each type arrived about the resource whose id it
   * returns; returns that id.
   */
  async caused(
    types: readonly string[],
    cause: string,
    act: () => Promise<string>,
  ): Promise<string> {
    const beganMs = systemClock.nowMs()
    const resourceId = await act()
    await Promise.all(types.map((type) => this.arrived(type, { cause, resourceId, beganMs })))
    return resourceId
  }

  /** Waits for an event whose cause began at `beganMs`, Unix milliseconds. */
  async arrived(
    type: string,
    { cause, resourceId, beganMs }: { cause: string; resourceId: string; beganMs: number },
  ): Promise<void> {
    const { atMs } = await this.#receiver.hear(type, resourceId)
    // A batch ends before its id is read.
    const seconds = Math.max(0, atMs - beganMs) / MS_PER_S
    this.#rows.push({ type, cause, resourceId, seconds })
  }

  /** Types that arrived. */
  types(): string[] {
    return [...new Set(this.#rows.map(({ type }) => type))]
  }

  /** One line per type: type, cause, resource, seconds from the cause to the arrival. */
  text(): string {
    const rows = this.#rows
      .toSorted((a, b) => a.type.localeCompare(b.type))
      .map(({ type, cause, resourceId, seconds }) => [type, cause, resourceId, seconds.toString()])
    const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
    return rows
      .map((row) =>
        row
          .map((cell, at) => cell.padEnd((widths[at] ?? 0) + COLUMN_GAP))
          .join('')
          .trimEnd(),
      )
      .join('\n')
  }
}
