// A scan of a pass and its result. Spec 2.3.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const SCAN_RESULTS = [
  'valid',
  'replayed',
  'revoked',
  'expired',
  'forged',
  'unknown',
] as const
export type ScanResult = (typeof SCAN_RESULTS)[number]
export const SCAN_MEDIA = ['barcode', 'nfc'] as const
export type ScanMedium = (typeof SCAN_MEDIA)[number]

export const PassScan = Type.Object({
  id: Type.String(),
  object: Type.Literal('pass_scan'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  scanner_id: Type.String(),
  pass_id: described(
    Type.Union([Type.String(), Type.Null()]),
    'The pass; null if the payload names none of yours.',
  ),
  medium: described(Type.Enum([...SCAN_MEDIA]), 'How it was read.'),
  verification_result: described(
    Type.Enum([...SCAN_RESULTS]),
    'Valid; replayed: it counts once and was scanned before; revoked; expired; forged: its check is wrong; unknown: it is no pass of yours.',
  ),
  latitude: described(
    Type.Union([Type.Number(), Type.Null()]),
    'The latitude of the scanner in degrees; null if it is not known.',
  ),
  longitude: described(
    Type.Union([Type.Number(), Type.Null()]),
    'The longitude of the scanner in degrees; null if it is not known.',
  ),
})
export type PassScan = Static<typeof PassScan>

export const Scanner = Type.Object({
  id: Type.String(),
  object: Type.Literal('scanner'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  name: Type.String(),
  ...TENANT_FIELDS,
})
export type Scanner = Static<typeof Scanner>

/** The remains of a deleted scanner. */
export const DeletedScanner = Type.Object({
  id: Type.String(),
  object: Type.Literal('scanner'),
  deleted: Type.Literal(true),
})
export type DeletedScanner = Static<typeof DeletedScanner>
