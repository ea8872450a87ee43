// The code of a wallet thread: one task at a time.
import { workerData } from 'node:worker_threads'
import { assert } from '../../../shared/assert.ts'
import type { Result } from '../../../shared/result.ts'
import { type BuildRequest, buildPackage } from './apple/package.ts'
import { openPassSigner, type PassCertificates } from './apple/signature.ts'
import { type Barcode, type BarcodeDrawing, drawBarcode } from './barcodes/draw.ts'
import { type PassImage, recodeImage, type Upload } from './images/recode.ts'

export interface ThreadSettings {
  /** Null: Apple's wallet gets no passes. */
  apple: PassCertificates | null
}

export type Task =
  | ({ kind: 'barcode' } & BarcodeDrawing)
  | ({ kind: 'image' } & Upload)
  | ({ kind: 'package' } & BuildRequest)

/** Bytes arrive as Uint8Array in the main thread. */
export interface TaskResult {
  barcode: Barcode
  image: Result<PassImage, string>
  package: Uint8Array
}

// piscina passes its own workerData through; the thread serves one pool for life.
const { apple } = workerData as ThreadSettings
const signer = apple === null ? null : openPassSigner(apple)

/** The task of the pool. */
export async function runTask(task: Task): Promise<TaskResult[Task['kind']]> {
  if (task.kind === 'barcode') return drawBarcode(task)
  // A buffer arrives as plain bytes.
  if (task.kind === 'image') return recodeImage({ role: task.role, bytes: Buffer.from(task.bytes) })
  assert(signer !== null, 'passes are built where there are certificates to sign them')
  return buildPackage(task, signer)
}
