// Ports of the pages of people: work of domains that access does not know.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { HttpServices } from '../../http/services.ts'

export interface PagePorts {
  /** Gives a tenant that signed itself up an active program of the sandbox. */
  insertFirstProgram(
    sql: TxSql,
    program: { id: string; tenantId: string; now: EpochMs },
  ): Promise<void>
  /**
   * Draws a QR code as an SVG element. `holder` takes turns with others. Rejects with `overloaded`
   * when too much is waiting.
   */
  drawQrCode(holder: string, message: string): Promise<string>
}

/** The parts of the process that the pages of people use. */
export interface PageServices extends HttpServices, PagePorts {}
