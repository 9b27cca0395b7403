package ramz

import "net/http"

// stay keeps the key from wandering: the redirect itself is the answer, which is an error.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// unread hides the address of a redirect from [http.Client]. That reads it before it asks stay, and makes of one that is no
// address an error that holds all of it: the password, the phone number or the key in it, too.
type unread struct {
	transport http.RoundTripper // nil: defaultTransport.
}

func (u unread) RoundTrip(request *http.Request) (*http.Response, error) {
	transport := u.transport
	if transport == nil {
		transport = defaultTransport()
	}
	response, err := transport.RoundTrip(request)
	if response != nil && response.Header.Get("Location") != "" {
		// Under a name that Get does not find, and that maskedHeader writes as it was.
		response.Header = response.Header.Clone()
		response.Header["location"] = response.Header["Location"]
		delete(response.Header, "Location")
	}
	return response, err
}
