// Types of the files of undici that we load one by one. Its index would load its fetch, caches and
// mocks in every process and thread: 109 modules, where a client needs 18.

declare module 'undici/lib/api/api-request.js' {
  const request: import('undici').Dispatcher['request']
  export = request
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export = buildConnector
}

declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici'
  export = errors
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
