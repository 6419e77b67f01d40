import { AuditPage } from '../../parts/audit/audit-page.tsx'

/** The audit log of the instance. */
export const InstanceAuditPage = () => <AuditPage />
