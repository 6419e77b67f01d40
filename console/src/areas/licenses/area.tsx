import { shell } from '../../text/shell.ts'
import { Page } from '../../ui/page.tsx'

export const LicensesArea = () => <Page title={shell.nav.tenant.licenses}>{null}</Page>
