import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const AuditPlace = () => <Page title={shell.nav.instance.audit}>{null}</Page>
