import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const LicenseTypesPlace = () => <Page title={shell.nav.instance.licenseTypes}>{null}</Page>
