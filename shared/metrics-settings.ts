// Settings of the ports that show health and metrics: rows of the one table of settings.
import { host, optionalPort, setting } from './setting-values.ts'

export const METRICS_SETTINGS = {
  SVC_METRICS_HOST: setting({
    fallback: '127.0.0.1',
    about:
      'Address on which api, dispatcher and settler show health and metrics, without a credential; open another one to a monitoring network only.',
    parse: host,
  }),
  SVC_DISPATCHER_PORT: setting({
    fallback: '',
    about:
      'Port of a dispatcher’s health and metrics; closed when unset. `npm start` opens one and writes it to sandbox.json.',
    parse: optionalPort,
  }),
  SVC_API_METRICS_PORT: setting({
    fallback: '',
    about:
      'Port of the API’s metrics; closed when unset. `npm start` opens one and writes it to sandbox.json.',
    parse: optionalPort,
  }),
  SVC_SETTLER_PORT: setting({
    fallback: '',
    about:
      'Port of the settler’s health and metrics; closed when unset. `npm start` opens one and writes it to sandbox.json.',
    parse: optionalPort,
  }),
}
