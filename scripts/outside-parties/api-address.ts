// The address at which an outside party on this machine reaches the API.

export function apiAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return 'http://' + (reachable.includes(':') ? '[' + reachable + ']' : reachable) + ':' + port
}
