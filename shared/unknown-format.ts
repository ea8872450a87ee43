// What is thrown on whole bytes of a newer version: to be said and refused, never to be guessed at.

/** No damage, a checksum vouched for the bytes; but this version does not know their format. */
export class UnknownFormat extends Error {}
