package latchkey_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"latchkey.example/latchkey"
)

func newClient() *latchkey.Client {
	client, err := latchkey.New(latchkey.Options{
		Issuer:        "http://localhost:3000",
		ApplicationID: os.Getenv("APPLICATION_ID"),
	})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func ExampleRequireLicense() {
	client := newClient()
	http.Handle("GET /reports", latchkey.RequireLicense(client, "reports")(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			auth := latchkey.AuthFrom(r.Context())
			_ = json.NewEncoder(w).Encode(map[string]string{"user": auth.UserID, "tenant": auth.TenantSlug})
		})))
	log.Fatal(http.ListenAndServe("localhost:4000", nil))
}

func ExampleRequireAuth() {
	mux := http.NewServeMux()
	log.Fatal(http.ListenAndServe("localhost:4000", latchkey.RequireAuth(newClient())(mux)))
}

func ExampleRequireRole() {
	deleteProjects := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	http.Handle("DELETE /projects", latchkey.RequireRole(newClient(), "owner", "admin")(deleteProjects))
}

func ExampleClient_Authenticate() {
	client := newClient()
	handle := func(w http.ResponseWriter, r *http.Request) {
		auth, err := client.Authenticate(r.Context(), r.Header.Get("Authorization"))
		if err == nil {
			err = client.RequireScope(auth, "reports:read")
		}
		var refusal *latchkey.AuthError
		if errors.As(err, &refusal) {
			refusal.Write(w)
			return
		}
	}
	http.HandleFunc("GET /reports", handle)
}

func ExampleMachineToken_Get() {
	machine, err := latchkey.NewMachineToken(latchkey.MachineOptions{
		Issuer:       "http://localhost:3000",
		ClientID:     "demo-machine",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
	})
	if err != nil {
		log.Fatal(err)
	}
	token, err := machine.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	url := "http://localhost:3000/api/integration/licenses/apps/" + os.Getenv("APPLICATION_ID") + "/count"
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
}

func ExampleClient_UserHasFeature() {
	machine, err := latchkey.NewMachineToken(latchkey.MachineOptions{
		Issuer:       "http://localhost:3000",
		ClientID:     "demo-machine",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
	})
	if err != nil {
		log.Fatal(err)
	}
	client, err := latchkey.New(latchkey.Options{
		Issuer:        "http://localhost:3000",
		ApplicationID: os.Getenv("APPLICATION_ID"),
		Machine:       machine,
	})
	if err != nil {
		log.Fatal(err)
	}
	ok, err := client.UserHasFeature(context.Background(), os.Getenv("USER_ID"), "reports")
	log.Println(ok, err)
}

func ExampleVerifyWebhook() {
	http.HandleFunc("POST /hooks/latchkey", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := latchkey.VerifyWebhook(r.Header, body, os.Getenv("WEBHOOK_SECRET"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		log.Println(event.ID, event.Type)
		w.WriteHeader(http.StatusNoContent)
	})
}
