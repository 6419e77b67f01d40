import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // These settings become part of the pages, so none of them is a secret.
  envPrefix: ['LATCHKEY_URL', 'CLIENT_ID', 'APPLICATION_ID'],
})
