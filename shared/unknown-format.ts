/**
 * Whole bytes in a format that this version does not know: a newer one wrote them. No damage, a checksum vouched for them; and
 * never to be guessed at.
 */
export class UnknownFormat extends Error {}
