import { AuditPage } from '../../../parts/audit/audit-page.tsx'

/** What happened on the whole instance. */
export const AuditPlace = () => <AuditPage />
