import { shell } from '../../text/shell.ts'
import { Page } from '../../ui/page.tsx'

export const NewTenant = () => <Page title={shell.newTenant}>{null}</Page>
