import { depersonalise, listEntriesOf } from './store.ts'

/** What the log holds of one person, for the person and for those who must forget them. */
export { depersonalise, listEntriesOf }
