// Only this module makes a certification's row public.
import { unixSeconds } from '../../../../shared/clock.ts'
import type { Certification, CertificationProbe } from '../../../../shared/schemas/certification.ts'

export interface CertificationRow {
  id: string
  endpointId: string
  url: string
  status: 'running' | 'finished'
  certified: boolean | null
  probes: CertificationProbe[]
  createdAt: number
  finishedAt: number | null
}

export function certificationView(row: CertificationRow): Certification {
  return {
    id: row.id,
    object: 'certification',
    created: unixSeconds(row.createdAt),
    livemode: false,
    endpoint_id: row.endpointId,
    url: row.url,
    status: row.status,
    certified: row.certified,
    finished_at: row.finishedAt === null ? null : unixSeconds(row.finishedAt),
    failed: row.probes.filter(({ passed }) => !passed).map(({ name }) => name),
    probes: row.probes,
  }
}
