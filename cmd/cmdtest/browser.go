package cmdtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"sync"
)

func actAsBrowser() {
	email := os.Getenv("VISITOR")
	if len(os.Args) > 2 {
		email = os.Args[1]
	}
	if err := SignInOnPage(os.Args[len(os.Args)-1], email); err != nil {
		fmt.Fprintln(os.Stderr, "visitor:", err)
		os.Exit(1)
	}
}

var (
	formAction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<form[^>]* action="([^"]+)"`) })
	formInput  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<input[^>]* name="(\w+)"[^>]* value="([^"]*)"`) })
)

// SignInOnPage signs in on a page of the development provider. The email "nobody" declines.
func SignInOnPage(address, email string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar}
	page, err := browser.Get(address)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(page.Body)
	if err != nil {
		return err
	}
	action := formAction().FindSubmatch(text)
	if action == nil {
		return fmt.Errorf("%s shows no form: %d %s", address, page.StatusCode, text)
	}
	form := url.Values{}
	for _, field := range formInput().FindAllSubmatch(text, -1) {
		form.Set(string(field[1]), string(field[2]))
	}
	form.Set("email", email)
	form.Set("answer", map[bool]string{true: "deny", false: "allow"}[email == "nobody"])
	target, err := page.Request.URL.Parse(string(action[1]))
	if err != nil {
		return err
	}
	done, err := browser.PostForm(target.String(), form)
	if err != nil {
		return err
	}
	defer done.Body.Close()
	if done.StatusCode != http.StatusOK {
		return fmt.Errorf("the form is answered with %d", done.StatusCode)
	}
	return nil
}
