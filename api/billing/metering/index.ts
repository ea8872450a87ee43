// Entry point of metering: segments of terms, and the usage that is counted into them.
export { hasUncounted, meterJob } from './count.ts'
export { rateSegment } from './rate-segment.ts'
export { recountJob } from './recount.ts'
export {
  closeSegments,
  cutSegment,
  findCursor,
  lastSegment,
  lockCursor,
  type NewSegment,
  openSegment,
  type SegmentRow,
  segmentsOf,
  segmentsUntil,
  uncountedFrom,
} from './segment-store.ts'
export {
  insertAdjustment,
  saveRated,
  type UsageDay,
  type UsageSum,
  usageDays,
  usageSums,
} from './usage-store.ts'
