/** IPC messages between the primary and its workers. */
export const READY = 'ready'
export const FAILED = 'failed'
export const STOP = 'stop'
