package provider

import "slices"

// Format is a wire format of an API.
type Format string

// The wire formats.
const (
	// OpenAI is POST /chat/completions. Most providers and local servers support it.
	OpenAI Format = "openai"
	// Anthropic is POST /messages.
	Anthropic Format = "anthropic"
	// Gemini is POST /models/MODEL:generateContent.
	Gemini Format = "gemini"
	// Ollama is POST /api/chat.
	Ollama Format = "ollama"
)

// A Provider describes a service that runs models, and how to call it.
type Provider struct {
	// Name is the provider in provider/model.
	Name   string
	Title  string
	Format Format
	// BaseURL is the address of the API without the path of a call.
	BaseURL string
	// KeyVariables are the usual environment variables for the key. The first variable with a value
	// is used.
	KeyVariables []string
	// AddressVariables are the environment variables for a custom address. If the operator chose
	// the model, the address also applies to a caller's key.
	AddressVariables []string
	addressPath      string
	// Local providers run on the operator's machine without a key. Callers cannot choose them.
	Local bool
	// Aliases are other names of the provider in provider/model.
	Aliases []string
	// Begins lists prefixes of model names that identify this provider.
	Begins   []string
	keyProof keyProof
}

type keyProof int

const (
	// byAnswer is for providers that list models without a valid key.
	byAnswer keyProof = iota
	byModel
	byList
	byKey
)

// Providers are the known providers. Names, variables and addresses come from the documentation of
// LiteLLM and of the providers. The SDKs of Mistral, DeepSeek, OpenRouter and xAI read no address
// from the environment.
var Providers = []Provider{
	{
		Name: "openai", Title: "OpenAI", Format: OpenAI, BaseURL: "https://api.openai.com/v1", keyProof: byModel,
		KeyVariables: []string{"OPENAI_API_KEY"}, AddressVariables: []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"},
		Begins: []string{"gpt-", "chatgpt-", "o1", "o3", "o4", "ft:gpt-"},
	},
	{
		Name: "anthropic", Title: "Anthropic", Format: Anthropic, BaseURL: "https://api.anthropic.com/v1",
		keyProof: byModel, KeyVariables: []string{"ANTHROPIC_API_KEY"}, Begins: []string{"claude-"},
		AddressVariables: []string{"ANTHROPIC_BASE_URL"}, addressPath: "/v1",
	},
	{
		Name: "gemini", Title: "Google Gemini", Format: Gemini,
		BaseURL:      "https://generativelanguage.googleapis.com/v1beta",
		KeyVariables: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Aliases: []string{"google"},
		Begins: []string{"gemini-"}, keyProof: byModel,
		AddressVariables: []string{"GOOGLE_GEMINI_BASE_URL"}, addressPath: "/v1beta",
	},
	{
		Name: "groq", Title: "Groq", Format: OpenAI, BaseURL: "https://api.groq.com/openai/v1", keyProof: byList,
		KeyVariables: []string{"GROQ_API_KEY"}, AddressVariables: []string{"GROQ_BASE_URL"}, addressPath: "/openai/v1",
	},
	{
		Name: "mistral", Title: "Mistral", Format: OpenAI, BaseURL: "https://api.mistral.ai/v1", keyProof: byList,
		KeyVariables: []string{"MISTRAL_API_KEY"}, Begins: []string{"mistral-", "ministral-", "magistral-"},
	},
	{
		Name: "deepseek", Title: "DeepSeek", Format: OpenAI, BaseURL: "https://api.deepseek.com/v1", keyProof: byList,
		KeyVariables: []string{"DEEPSEEK_API_KEY"}, Begins: []string{"deepseek-"},
	},
	{
		Name: "openrouter", Title: "OpenRouter", Format: OpenAI, BaseURL: "https://openrouter.ai/api/v1",
		keyProof: byKey, KeyVariables: []string{"OPENROUTER_API_KEY"},
	},
	{
		Name: "together_ai", Title: "Together AI", Format: OpenAI, BaseURL: "https://api.together.ai/v1",
		keyProof: byList, KeyVariables: []string{"TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"},
		Aliases:          []string{"together"},
		AddressVariables: []string{"TOGETHER_BASE_URL"},
	},
	{
		Name: "xai", Title: "xAI", Format: OpenAI, BaseURL: "https://api.x.ai/v1", keyProof: byList,
		KeyVariables: []string{"XAI_API_KEY"}, Begins: []string{"grok-"},
	},
	{
		Name: "ollama", Title: "Ollama", Format: Ollama, BaseURL: "http://127.0.0.1:11434", Local: true,
		keyProof:     byModel,
		KeyVariables: []string{"OLLAMA_API_KEY"}, AddressVariables: []string{"OLLAMA_HOST", "OLLAMA_API_BASE"},
		Aliases: []string{"ollama_chat"},
	},
	{
		Name: "lmstudio", Title: "LM Studio", Format: OpenAI, BaseURL: "http://127.0.0.1:1234/v1", Local: true,
		keyProof:     byAnswer,
		KeyVariables: []string{"LM_STUDIO_API_KEY"}, AddressVariables: []string{"LM_STUDIO_API_BASE"},
		Aliases: []string{"lm_studio"},
	},
	{
		Name: "llamacpp", Title: "llama.cpp", Format: OpenAI, BaseURL: "http://127.0.0.1:8080/v1", Local: true,
		keyProof: byAnswer, KeyVariables: []string{"LLAMACPP_API_KEY"}, AddressVariables: []string{"LLAMACPP_API_BASE"},
		Aliases: []string{"llama.cpp", "llama_cpp"},
	},
	{
		Name: "vllm", Title: "vLLM", Format: OpenAI, BaseURL: "http://127.0.0.1:8000/v1", Local: true,
		keyProof: byAnswer, KeyVariables: []string{"HOSTED_VLLM_API_KEY", "VLLM_API_KEY"},
		AddressVariables: []string{"HOSTED_VLLM_API_BASE", "VLLM_API_BASE"},
		Aliases:          []string{"hosted_vllm"},
	},
}

// signIns are providers of LiteLLM that require more than a key.
var signIns = map[string]string{
	"azure": "Azure", "azure_ai": "Azure", "bedrock": "Amazon Bedrock", "bedrock_converse": "Amazon Bedrock",
	"sagemaker": "Amazon SageMaker", "vertex_ai": "Google Vertex AI", "vertex_ai_beta": "Google Vertex AI",
}

// FindProvider returns the provider with a name or an alias.
func FindProvider(name string) (Provider, bool) {
	for _, provider := range Providers {
		if provider.Name == name || slices.Contains(provider.Aliases, name) {
			return provider, true
		}
	}
	return Provider{}, false
}
