// Entry point of programs.
export { insertActiveProgram, insertFirstProgram } from './first.ts'
export { requireActiveProgram } from './require-active.ts'
export { programRoutes } from './routes.ts'
export type { PROGRAM_MOVES } from './states.ts'
export { moveProgram, resumeProgramsWithTenant, suspendProgramsWithTenant } from './states.ts'
export { findAnyProgram, listAllPrograms, type ProgramFilters } from './store.ts'
export { type ProgramRow, programView } from './view.ts'
