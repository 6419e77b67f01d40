// An API with three routes: one for every user, one for owners and admins, and one that needs a license.
package main

import (
	"cmp"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"latchkey.example/latchkey"
)

func main() {
	client, err := latchkey.New(latchkey.Options{
		Issuer: cmp.Or(os.Getenv("LATCHKEY_URL"), "http://localhost:3000"),
		// The id of the application in Latchkey, which is the audience (aud) of its access tokens.
		ApplicationID: os.Getenv("APPLICATION_ID"),
	})
	if err != nil {
		log.Fatal(err)
	}
	requireAuth := latchkey.RequireAuth(client)
	requireAdmin := latchkey.RequireRole(client, "owner", "admin")
	requireReports := latchkey.RequireLicense(client, "reports")

	http.Handle("GET /me", requireAuth(http.HandlerFunc(readMe)))
	http.Handle("GET /settings", requireAdmin(http.HandlerFunc(readSettings)))
	http.Handle("GET /reports", requireReports(http.HandlerFunc(listReports)))
	log.Fatal(http.ListenAndServe("localhost:"+cmp.Or(os.Getenv("PORT"), "4000"), nil))
}

func readMe(w http.ResponseWriter, r *http.Request) {
	auth := latchkey.AuthFrom(r.Context())
	reply(w, map[string]any{"user": auth.UserID, "tenant": auth.TenantSlug, "roles": auth.Roles})
}

func readSettings(w http.ResponseWriter, r *http.Request) {
	reply(w, map[string]any{"settings": "The settings of " + latchkey.AuthFrom(r.Context()).TenantSlug})
}

func listReports(w http.ResponseWriter, r *http.Request) {
	reply(w, map[string]any{"reports": []string{"A report for " + latchkey.AuthFrom(r.Context()).TenantSlug}})
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Print(err)
	}
}
