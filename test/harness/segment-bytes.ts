/**
 * Bytes of a journal segment in tests. Each engine writes three of them in advance and reads them
 * at its next start: of the size for production, that takes longer than the rest of a start.
 */
export const SEGMENT_BYTES = 1024 * 1024
