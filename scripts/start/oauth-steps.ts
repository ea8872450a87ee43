// The lines of a platform that connects, for one shell: they keep what they get in variables.

interface Places {
  apiUrl: string
  pagesUrl: string
  /** A shell expression that prints the operator's credential. */
  operatorKey: string
}

/** Titles and lines, in their order. A person agrees in the browser between them. */
export function oauthSteps(places: Places): [string, string][] {
  return [
    ['Register a platform, as an operator:', registering(places)],
    [
      'Make a verifier, and open the address that appears; the owner signs in and allows:',
      asking(places),
    ],
    [
      'Copy code=… from the address to which the browser returned, and exchange it within a minute:',
      'read -r CODE; ' +
        tokens(places, '-d code="$CODE" -d code_verifier="$VERIFIER" -d client_id="$PLATFORM"'),
    ],
    [
      'Call the API for the tenant:',
      'curl -sS -H "Authorization: Bearer ' +
        field('access_token') +
        '" "' +
        places.apiUrl +
        '/v1/cards?limit=1"',
    ],
    [
      'Refresh: a new pair comes, and the old refresh token ends:',
      tokens(
        places,
        '-d grant_type=refresh_token -d refresh_token="' + field('refresh_token') + '"',
      ),
    ],
    [
      'End the connection; the call above is 401 from then on:',
      'curl -sS ' + places.pagesUrl + '/oauth/revoke -d token="' + field('refresh_token') + '"',
    ],
  ]
}

/** The page of our reference to which the browser returns. */
function returnUrl({ apiUrl }: Places): string {
  return apiUrl + '/docs/platforms'
}

function registering(places: Places): string {
  const registration = JSON.stringify({
    environment: 'sandbox',
    name: 'My platform',
    kind: 'public',
    redirect_uris: [returnUrl(places)],
    scopes: ['card:read'],
  })
  return (
    'PLATFORM=$(curl -sS -H "Authorization: Bearer ' +
    places.operatorKey +
    "\" -H 'Content-Type: application/json' -d '" +
    registration +
    "' " +
    places.apiUrl +
    "/operator/v1/oauth_clients | node -p 'JSON.parse(fs.readFileSync(0)).id')"
  )
}

function asking(places: Places): string {
  const address =
    places.pagesUrl +
    '/oauth/authorize?client_id=$PLATFORM&scope=card:read&state=demo&redirect_uri=' +
    encodeURIComponent(returnUrl(places)) +
    '&code_challenge='
  const challenge = 'crypto.createHash("sha256").update(fs.readFileSync(0)).digest("base64url")'
  return (
    'VERIFIER=$(node -p \'crypto.randomBytes(32).toString("base64url")\'); echo "' +
    address +
    '$(printf %s "$VERIFIER" | node -p \'' +
    challenge +
    '\')"'
  )
}

function tokens({ pagesUrl }: Places, fields: string): string {
  return 'TOKENS=$(curl -sS ' + pagesUrl + '/oauth/token ' + fields + '); echo "$TOKENS"'
}

function field(name: string): string {
  return '$(printf %s "$TOKENS" | node -p \'JSON.parse(fs.readFileSync(0)).' + name + "')"
}
