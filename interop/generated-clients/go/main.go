package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"latchkeyapi"
)

func main() {
	configuration := latchkeyapi.NewConfiguration()
	configuration.Servers = latchkeyapi.ServerConfigurations{{URL: os.Getenv("LATCHKEY_URL")}}
	client := latchkeyapi.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), latchkeyapi.ContextAccessToken, os.Getenv("ACCESS_TOKEN"))
	keys, _, err := client.OAuthAndOpenIDConnectAPI.GetJsonWebKeySet(ctx).Execute()
	if err != nil {
		log.Fatal(err)
	}
	licenses, _, err := client.LicensesAPI.CountLicenses(ctx, os.Getenv("APPLICATION_ID")).Execute()
	if err != nil {
		log.Fatal(err)
	}
	if len(keys.Keys) == 0 || licenses.Count < 1 {
		log.Fatalf("%d keys and %d licenses", len(keys.Keys), licenses.Count)
	}
	fmt.Printf("Go: %d key, %d license\n", len(keys.Keys), licenses.Count)
}
