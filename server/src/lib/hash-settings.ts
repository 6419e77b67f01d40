/** Settings for password hashing. */
export interface HashSettings {
  /** The memory per hash. The time per hash is proportional. */
  memoryMib: number
  /** The number of processes that share the CPU cores. */
  processes: number
}

/** OWASP's minimum memory for argon2id with two passes. */
export const MIN_HASH_MEMORY_MIB = 19

let settings: HashSettings = { memoryMib: MIN_HASH_MEMORY_MIB, processes: 1 }

export const getHashSettings = (): HashSettings => settings

/** Called once at startup. */
export function setHashSettings(configured: HashSettings): void {
  settings = configured
}
