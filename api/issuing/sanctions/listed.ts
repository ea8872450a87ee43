// An entry of a sanctions list: the shape that every list file is read into.

/** A year, or a day, as precisely as the list knows it. */
export interface BirthDate {
  /** `1948`, `1948-12` or `1948-12-10`. */
  text: string
  /** The list marks the date as uncertain. */
  circa: boolean
}

export interface Listed {
  /** `ofac:2674`: the list and its own id. */
  id: string
  kind: 'sanctions' | 'pep'
  /** The main name first, then the others, as the list writes them. */
  names: readonly string[]
  birthDates: readonly BirthDate[]
  /** The reason of the listing, in the list's own words. */
  program: string
}
