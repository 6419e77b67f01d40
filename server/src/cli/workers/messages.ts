/** What a worker tells the first process, and what that tells a worker. */
export const READY = 'ready'
export const FAILED = 'failed'
export const STOP = 'stop'
