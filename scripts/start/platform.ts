// Refuses machines on which this service cannot run, with a sentence about the remedy. Imports
// nothing: it must run where nothing else would.

const NODE_OLDEST = [22, 18] as const
const NODE_FIRST_UNSUPPORTED = 23

export interface Machine {
  nodeVersion: string
  platform: string
  architecture: string
  /** Version of glibc, or null where the C library is another one. */
  glibc: string | null
}

/** One sentence, or null where everything fits. */
export function platformProblem(machine: Machine): string | null {
  const [major = 0, minor = 0] = machine.nodeVersion.replace('v', '').split('.').map(Number)
  const tooOld = major < NODE_OLDEST[0] || (major === NODE_OLDEST[0] && minor < NODE_OLDEST[1])
  if (tooOld || major >= NODE_FIRST_UNSUPPORTED) {
    return (
      'Node ' +
      machine.nodeVersion +
      ' is not supported: use npm (npm start), which brings the right Node, or Node 22 from 22.18 on.'
    )
  }
  if (machine.platform !== 'linux' || machine.architecture !== 'x64' || machine.glibc === null) {
    return (
      'This machine (' +
      machine.platform +
      ' ' +
      machine.architecture +
      (machine.glibc === null ? ', no glibc' : '') +
      ') is not supported: svc runs on Linux x64 with glibc.'
    )
  }
  return null
}

/** This machine. */
export function thisMachine(): Machine {
  const report: unknown = process.report.getReport()
  const header =
    typeof report === 'object' && report !== null && 'header' in report ? report.header : null
  const glibc =
    typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header
      ? String(header.glibcVersionRuntime)
      : null
  return {
    nodeVersion: process.version,
    platform: process.platform,
    architecture: process.arch,
    glibc,
  }
}
