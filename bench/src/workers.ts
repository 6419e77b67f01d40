/** Whether the service, as it is built, can be run as several processes. */
export async function knowsWorkers(): Promise<boolean> {
  const built = new URL('../../server/dist/config.js', import.meta.url)
  const { VARIABLES } = await import(built.href)
  return 'WORKERS' in VARIABLES
}
