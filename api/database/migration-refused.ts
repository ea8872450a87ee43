// How a migration is refused: an error of its own, apart from those of the connection.

/**
 * The database's history or its server is not for this version; the message is one sentence for the
 * operator.
 */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}
