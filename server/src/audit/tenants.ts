import { countTenantEntries, listTenantEntries, type TenantEntry } from './store.ts'

/** What the log holds of one tenant. */
export { countTenantEntries, listTenantEntries, type TenantEntry }
