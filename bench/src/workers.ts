import { readFileSync } from 'node:fs'

const CONFIGURATION = new URL('../../docs/configuration.md', import.meta.url)

/** Whether the service can be run as several processes. The page is made from the variables that it knows. */
export const knowsWorkers = (): boolean => readFileSync(CONFIGURATION, 'utf8').includes('`WORKERS`')
