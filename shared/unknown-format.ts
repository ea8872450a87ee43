// The error for intact bytes of a newer version. The reader refuses them and never guesses their
// meaning.

/** No damage, a checksum vouched for the bytes; but this version does not know their format. */
export class UnknownFormat extends Error {}
