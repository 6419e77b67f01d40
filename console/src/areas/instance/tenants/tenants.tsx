import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const TenantsPlace = () => <Page title={shell.nav.instance.tenants}>{null}</Page>
