// The relying party of passkeys: the host of our pages. Members and holders have the same.

/** The page that the browser must have shown. */
export interface RelyingParty {
  /** For example `https://pay.example`. */
  origin: string
  /** The host of the origin. */
  id: string
}

/** The relying party of a public URL: a passkey is bound to its host. */
export function partyOf(publicUrl: string): RelyingParty {
  const { origin, hostname } = new URL(publicUrl)
  return { origin, id: hostname }
}

/** Base URL of the pages of members, without a slash at its end. */
export function pagesUrlOf(services: { authUrl: string | null; publicUrl: string }): string {
  return services.authUrl?.replace(/\/+$/, '') ?? services.publicUrl
}
